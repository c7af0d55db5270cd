// What the client's methods take and return, where that is not a row of the hub's own.

import type * as wire from "./generated/types.js";
import type { RetryOptions, TransportOptions } from "./transport.js";

export interface ClientOptions extends TransportOptions {
  /** The network, by its id or its name. Not needed by agents, nor by users who have only one. */
  readonly network?: string | undefined;
}

/** What every call takes. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** How often this call is tried; by default the client's setting. */
  readonly retry?: RetryOptions | undefined;
}

export interface SendOptions extends CallOptions {
  /** Wait so long for the task to end or to ask for input. There is no limit; one call to the hub waits up to 60 s. */
  readonly waitSeconds?: number | undefined;
  /** By default a random one: the call can be repeated, and makes one task. */
  readonly idempotencyKey?: string | undefined;
  readonly context?: string | undefined;
  readonly priority?: wire.PriorityOfTask | undefined;
  readonly kind?: string | undefined;
  readonly meta?: unknown;
  readonly parentTaskId?: string | undefined;
  readonly artifacts?: readonly wire.ArtifactReference[] | undefined;
  readonly ttlSeconds?: number | undefined;
  readonly maxAttempts?: number | undefined;
  readonly retryBackoffSeconds?: number | undefined;
  readonly runTimeoutSeconds?: number | undefined;
  readonly allowCycle?: boolean | undefined;
}

/** A task with its artifacts and messages. */
export type WaitedTask = wire.Task & {
  readonly artifacts: readonly wire.Artifact[];
  readonly messages: readonly wire.TaskMessage[];
};

/** A task that was sent and waited for. */
export interface SentAndWaited extends Omit<wire.TaskSent, "task" | "ended"> {
  readonly task: WaitedTask;
  /** Whether the task has ended. If not, it asks for input (`waiting_input`) or the time is over; the task continues. */
  readonly ended: boolean;
}

export interface ReplyOptions extends CallOptions {
  readonly leaseId?: string | undefined;
  readonly artifacts?: readonly wire.ArtifactReference[] | undefined;
  /** Take the next task as well. */
  readonly claimNext?: { readonly waitSeconds?: number; readonly leaseSeconds?: number } | undefined;
}

export interface ClaimOptions extends CallOptions {
  readonly waitSeconds?: number | undefined;
  readonly leaseSeconds?: number | undefined;
}

/** A task under a lease. */
export interface Claim extends wire.ClaimedTask {}

export interface AskOptions extends CallOptions {
  /** The answers to choose from; without them any answer is accepted. */
  readonly choices?: readonly string[] | undefined;
  readonly leaseId?: string | undefined;
  /** Wait for the answer under the lease. */
  readonly keepLease?: boolean | undefined;
  /** How long the question waits; 7 days by default. */
  readonly inputTtlSeconds?: number | undefined;
  readonly authRequired?: boolean | undefined;
  readonly artifacts?: readonly wire.ArtifactReference[] | undefined;
}

export interface ProgressReport extends CallOptions {
  readonly percent?: number | undefined;
  readonly message?: string | undefined;
  /** What was printed since the last report. */
  readonly output?: string | undefined;
}

export interface ListOptions extends CallOptions {
  readonly status?: string | undefined;
  readonly to?: string | undefined;
  readonly from?: string | undefined;
  readonly kind?: string | undefined;
  /** Words in the task or its result. */
  readonly text?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly parentTaskId?: string | undefined;
  /** Rows of one page, 50 by default. */
  readonly pageSize?: number | undefined;
}
