// The base of every error that a call can reject with. The classes for the hub's codes are generated from it
// (generated/error-classes.ts); what is made of an answer is in errors.ts.

import type { ErrorDetail } from "./generated/types.js";

/** What is known of an error beside its code and message. */
export interface ErrorFacts {
  /** The HTTP status; 0 if there was no answer. */
  readonly status?: number | undefined;
  readonly details?: readonly ErrorDetail[] | undefined;
  /** The status of the task that the call was about. */
  readonly taskStatus?: string | undefined;
  /** When the hub asks to be called again. */
  readonly retryAfterMillis?: number | undefined;
  /** The answer's JSON object, as it came. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  readonly cause?: unknown;
}

/** A call that was not done. A code that this version does not know is a plain `BatonError`. */
export class BatonError<Code extends string = string> extends Error {
  /** What docs/errors.md says to do about the code. */
  static readonly remedies: readonly string[] = [];

  /** The hub's code, such as `alias_not_found`. */
  readonly code: Code | (string & {});
  readonly status: number;
  readonly details: readonly ErrorDetail[];
  readonly taskStatus: string | undefined;
  readonly retryAfterMillis: number | undefined;
  readonly body: Readonly<Record<string, unknown>>;
  /** What the hub wrote beside the code; may be empty. */
  readonly hubMessage: string;

  constructor(code: Code | (string & {}), message: string, facts: ErrorFacts = {}) {
    super(told(code, message, facts), facts.cause === undefined ? {} : { cause: facts.cause });
    this.name = new.target.name;
    this.code = code;
    this.hubMessage = message;
    this.status = facts.status ?? 0;
    this.details = facts.details ?? [];
    this.taskStatus = facts.taskStatus;
    this.retryAfterMillis = facts.retryAfterMillis;
    this.body = facts.body ?? {};
  }

  /** What to do about it; empty if that is not known. */
  get remedy(): string {
    const { remedies } = this.constructor as typeof BatonError;
    const [first, ...others] = remedies;
    if (first === undefined) return "";
    // A code with several remedies: the hub's message says which one is meant.
    return others.length > 0 && this.hubMessage !== "" ? this.hubMessage : first;
  }
}

function told(code: string, message: string, { status, details = [] }: ErrorFacts): string {
  const fields = details.flatMap((detail) => ("rule" in detail ? [`${detail.field}: ${detail.rule}`] : []));
  // What comes from this side of the wire says it all.
  const words = status === undefined ? message : `${message} [${code}]`;
  return [message === "" ? code : words, ...fields].join("; ");
}
