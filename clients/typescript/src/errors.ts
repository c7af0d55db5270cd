// Errors that come from this side of the wire, and the error that is made of a hub's answer.

import { BatonError, type ErrorFacts } from "./baton-error.js";
import { ERROR_CLASSES, type ErrorCode } from "./generated/error-classes.js";
import type { ErrorDetail, Task, TaskMessage } from "./generated/types.js";

/** No connection, or no answer in time. */
export class HubUnreachable extends BatonError<"unreachable"> {
  /** Whether the hub cannot have seen the call. */
  readonly isUnsent: boolean;

  constructor(hub: string, why: string, isUnsent: boolean, cause?: unknown) {
    super("unreachable", `the hub at ${hub} cannot be reached: ${why}`, { cause });
    this.isUnsent = isUnsent;
  }
}

/** An artifact's bytes have another SHA-256 than was asked for. */
export class WrongBytes extends BatonError<"wrong_bytes"> {
  constructor(expected: string, received: string) {
    super("wrong_bytes", `the artifact ${expected} came with other bytes, whose SHA-256 is ${received}`);
  }
}

/** An argument, an environment variable or the profile file cannot be used. */
export class SettingsError extends BatonError<"settings"> {
  constructor(message: string, cause?: unknown) {
    super("settings", message, { cause });
  }
}

/** The task ended without a reply: it failed, was cancelled or expired (`taskStatus`). */
export class TaskFailed extends BatonError<"task_failed"> {
  constructor(readonly task: Task) {
    super("task_failed", task.result || `task ${task.task_id} is ${task.status}`, { taskStatus: task.status });
  }
}

/** The wait ended with the task still open; the task continues. */
export class WaitTimedOut extends BatonError<"wait_timed_out"> {
  constructor(readonly task: Task) {
    super("wait_timed_out", `task ${task.task_id} is still ${task.status}`, { taskStatus: task.status });
  }
}

/** The agent asks a question: `answer` it, then wait again. */
export class InputRequired extends BatonError<"input_required"> {
  readonly question: string;
  /** The answers to choose from; any, if there are none. */
  readonly choices: readonly string[];

  constructor(
    readonly task: Task,
    asked: TaskMessage | undefined,
  ) {
    super("input_required", asked?.content ?? "", { taskStatus: task.status });
    this.question = asked?.content ?? "";
    this.choices = asked?.options ?? [];
  }
}

/** Why a task is no longer the handler's. */
export type LossReason = "cancelled" | "reassigned" | "lease_lost" | "worker_stopped";

/** The task was cancelled, was given to another agent, or its lease is lost. Nothing the handler does counts any more. */
export class TaskCancelled extends Error {
  constructor(
    readonly taskId: string,
    readonly why: LossReason,
  ) {
    super(`task ${taskId} is no longer this worker's: ${why}`);
    this.name = "TaskCancelled";
  }
}

/** Thrown by a handler to decline its task: it ends as `failed` with `rejected`. */
export class TaskRejected extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "TaskRejected";
  }
}

/** Whether an error has this code. `<status>` stands for any status. */
export function hasCode<Code extends ErrorCode>(
  error: unknown,
  code: Code,
): error is InstanceType<(typeof ERROR_CLASSES)[Code]> {
  return error instanceof ERROR_CLASSES[code];
}

/** Codes with a status in them, and what they look like on the wire. */
const PATTERNS = Object.keys(ERROR_CLASSES)
  .filter((code) => code.includes("<status>"))
  .map((code) => {
    const [before = "", after = ""] = code.split("<status>");
    return { code: code as ErrorCode, before, after };
  });

type ErrorClass = new (code: string, message: string, facts: ErrorFacts) => BatonError;

function classOf(code: string): ErrorClass {
  if (Object.hasOwn(ERROR_CLASSES, code)) return ERROR_CLASSES[code as ErrorCode];
  const found = PATTERNS.find(({ before, after }) => code.startsWith(before) && code.endsWith(after));
  return found === undefined ? BatonError : ERROR_CLASSES[found.code];
}

/** The error of an answer that is no success. */
export function errorOfAnswer(status: number, text: string, retryAfter: string | null): BatonError {
  const body = objectOf(text);
  const code = textOf(body?.["error"]);
  const facts = { status, body, retryAfterMillis: retryAfterMillis(body, retryAfter) };
  // Without the hub's form it is the answer of something before the hub.
  if (body === undefined || code === "") return new BatonError(`http_${status}`, "", facts);
  const details = Array.isArray(body["details"]) ? (body["details"] as ErrorDetail[]) : undefined;
  const taskStatus = textOf(body["task_status"]) || undefined;
  return new (classOf(code))(code, textOf(body["message"]), { ...facts, details, taskStatus });
}

/** The hub's own milliseconds are exact; the header has whole seconds, or a date. */
function retryAfterMillis(body: Record<string, unknown> | undefined, header: string | null): number | undefined {
  const exact = body?.["retry_after_ms"];
  if (typeof exact === "number" && exact >= 0) return exact;
  if (header === null || header.trim() === "") return undefined;
  const seconds = Number(header);
  const millis = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(millis) ? undefined : Math.max(0, millis);
}

/** The JSON object in a text, if it is one. */
export function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // the caller says what it expected
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
