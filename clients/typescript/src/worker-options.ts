// What a worker takes: the handler, its settings, and what it reports of itself.

import type { Client } from "./client.js";
import type { ArtifactReference, Skill } from "./generated/types.js";
import type { HandlerTask } from "./handler-task.js";

/** What a handler may return: the result's text, or a text with files, or files alone. */
export type HandlerResult =
  | string
  | { readonly text?: string | undefined; readonly artifacts?: readonly ArtifactReference[] | undefined };

/** Works on one task. What it throws fails the task; `TaskRejected` declines it. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler need not return anything
export type Handler = (task: HandlerTask) => Promise<HandlerResult | void> | HandlerResult | void;

/** Something a worker reports of itself. None of it holds a task's content. */
export type WorkerEvent =
  | { readonly type: "waiting"; readonly alias: string; readonly hub: string; readonly concurrency: number }
  | { readonly type: "running"; readonly taskId: string; readonly from: string; readonly attempt: number }
  | { readonly type: "ended"; readonly taskId: string; readonly status: "replied" | "failed" | "rejected" }
  | { readonly type: "lost"; readonly taskId: string; readonly why: string }
  | { readonly type: "not_taken"; readonly taskId: string; readonly error: unknown }
  | { readonly type: "handler_goes_on"; readonly taskId: string }
  | { readonly type: "hub_away"; readonly error: unknown }
  | { readonly type: "hub_back" }
  | { readonly type: "warning"; readonly what: string; readonly error: unknown }
  | { readonly type: "stopped" };

export interface AgentOptions {
  readonly client: Client;
  /** Tasks at the same time; 1 by default. */
  readonly concurrency?: number | undefined;
  /** 60 by default: how long the hub waits for a worker that died. */
  readonly leaseSeconds?: number | undefined;
  /** How long a handler may take to end after its task was cancelled, before its slot takes another; 5 by default. */
  readonly graceSeconds?: number | undefined;
  /** What the agent is, in a sentence. */
  readonly description?: string | undefined;
  readonly skills?: readonly Skill[] | undefined;
  readonly hostname?: string | undefined;
  readonly projectDir?: string | undefined;
  readonly version?: string | undefined;
  /** Aborted: the worker stops as with `stop()`. */
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: WorkerEvent) => void) | undefined;
}
