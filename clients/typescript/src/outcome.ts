// What a handler made of its task: from what it returned or threw to the reply that the hub takes.

import { defined } from "./bodies.js";
import { TaskRejected } from "./errors.js";
import type { ArtifactReference } from "./generated/types.js";
import { FAILURE_MAX_CHARS } from "./limits.js";
import type { HandlerResult } from "./worker-options.js";

export interface Outcome {
  readonly status: "replied" | "failed" | "rejected";
  readonly text: string;
  readonly artifacts?: readonly ArtifactReference[] | undefined;
}

/** What a handler's result means. A reply needs a text, unless it has files. */
// biome-ignore lint/suspicious/noConfusingVoidType: as the handler's type has it
export function succeeded(result: HandlerResult | void): Outcome {
  const { text = "", artifacts = [] } = typeof result === "string" ? { text: result } : (result ?? {});
  if (typeof text !== "string" || !Array.isArray(artifacts)) {
    throw new TypeError("a handler returns a text, or an object with `text` and `artifacts`");
  }
  return {
    status: "replied",
    text: text || (artifacts.length > 0 ? "" : "(no output)"),
    artifacts: artifacts.map(reference),
  };
}

/** An uploaded artifact has more fields than a reference may have. */
function reference({ sha256, name, media_type, description }: ArtifactReference): ArtifactReference {
  return { sha256, ...defined({ name, media_type, description }) };
}

export function failed(error: unknown): Outcome {
  if (error instanceof TaskRejected) return { status: "rejected", text: bounded(error.message) };
  const words = error instanceof Error ? error.message || error.name : String(error);
  return { status: "failed", text: bounded(words) };
}

/** The beginning of a text, without half a character at its end. */
export function bounded(text: string): string {
  if (text.trim() === "") return "the handler failed without a word";
  if (text.length <= FAILURE_MAX_CHARS) return text;
  return Array.from(text.slice(0, 2 * FAILURE_MAX_CHARS))
    .slice(0, FAILURE_MAX_CHARS)
    .join("");
}
