// The examples of a README: its `ts` blocks, each with the HTML comment before it that says how it is to be run.

import { readFile } from "node:fs/promises";

export interface Example {
  readonly code: string;
  /** The comment's text; empty if there is none. */
  readonly note: string;
}

export async function blocks(path: string): Promise<Example[]> {
  const text = await readFile(path, "utf8");
  const found = text.matchAll(/(?:<!-- (.*?) -->\n)?```ts\n([\s\S]*?)```/g);
  return Array.from(found, ([, note = "", code = ""]) => ({ code, note }));
}
