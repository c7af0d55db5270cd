// Results of tasks: what a task that was waited for came to, and results that are too long for a reply. Those become the
// artifact `result.txt`, as `baton work` does it, and the reply has their beginning, which says so.

import type { Client } from "./client.js";
import { InputRequired, TaskFailed, WaitTimedOut } from "./errors.js";
import type { Artifact, ArtifactReference, Task, TaskMessage } from "./generated/types.js";
import { ARTIFACT_MAX_BYTES, TEXT_MAX_BYTES } from "./limits.js";
import { isEnd } from "./streams.js";

/** The description of the artifact that has all of a result. */
const WHOLE_RESULT = "the whole result";

/** The whole result of a task that was replied to; throws if it came to anything else. */
export async function resultOf(
  client: Client,
  task: Task & { readonly artifacts?: readonly Artifact[] },
  messages: readonly TaskMessage[],
  signal: AbortSignal | undefined,
): Promise<string> {
  if (task.status === "waiting_input")
    throw new InputRequired(
      task,
      messages.findLast(({ kind }) => kind === "question"),
    );
  if (!isEnd(task.status)) throw new WaitTimedOut(task);
  if (task.status !== "replied") throw new TaskFailed(task);
  const whole = task.artifacts?.find(({ source, description }) => source === "reply" && description === WHOLE_RESULT);
  if (whole === undefined) return task.result ?? "";
  return new TextDecoder().decode(await client.bytes(whole.sha256, { signal, maxBytes: ARTIFACT_MAX_BYTES }));
}

/** A text that fits into a reply, and the artifact that has all of it if it did not. */
export interface FittingText {
  readonly text: string;
  readonly whole?: ArtifactReference | undefined;
}

export async function fitting(client: Client, text: string, signal: AbortSignal): Promise<FittingText> {
  // Three bytes are the most that a UTF-16 unit takes.
  if (text.length * 3 <= TEXT_MAX_BYTES) return { text };
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= TEXT_MAX_BYTES) return { text };
  const uploaded = { name: "result.txt", mediaType: "text/plain; charset=utf-8" };
  const { sha256 } = await client.upload(bytes, { ...uploaded, signal });
  const note = `\n[baton: this is the beginning. The whole result has ${bytes.length} bytes and is the artifact result.txt of this reply, sha256 ${sha256}]`;
  return { text: beginning(bytes, TEXT_MAX_BYTES - note.length) + note, whole: { sha256, description: WHOLE_RESULT } };
}

/** So many bytes of UTF-8 at most, without half a character at their end. */
function beginning(bytes: Uint8Array, most: number): string {
  let end = most;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return new TextDecoder().decode(bytes.subarray(0, end));
}
