// From the arguments of calls to the bodies on the wire, and from claims on the wire to claims.

import type { Claim, SendOptions } from "./client-options.js";
import type * as wire from "./generated/types.js";
import { isEnd } from "./streams.js";

/** The claim in an answer, if there was a task. */
export function claimOf(answer: wire.Claimed | null | undefined): Claim | undefined {
  if (!answer?.task || !answer.lease_id) return undefined;
  const { task, lease_id, lease_expires_at = null, messages, artifacts, traceparent = null } = answer;
  return { task, lease_id, lease_expires_at, messages: messages ?? [], artifacts: artifacts ?? [], traceparent };
}

/** The same object without what is undefined: `undefined` is not null on the wire. */
export function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

/** A task that has ended, or waits for its sender. */
export function isSettled(task: { readonly status: string } | null | undefined): boolean {
  return task != null && (isEnd(task.status) || task.status === "waiting_input");
}

/** The body of a send, but for its network and its wait. */
export function newTask(alias: string, text: string, options: SendOptions): wire.NewTask {
  return {
    alias,
    task: text,
    idempotency_key: options.idempotencyKey ?? crypto.randomUUID(),
    ...defined({
      context: options.context,
      priority: options.priority,
      kind: options.kind,
      meta: options.meta,
      parent_task_id: options.parentTaskId,
      artifacts: options.artifacts,
      ttl_seconds: options.ttlSeconds,
      max_attempts: options.maxAttempts,
      retry_backoff_seconds: options.retryBackoffSeconds,
      run_timeout_seconds: options.runTimeoutSeconds,
      allow_cycle: options.allowCycle,
    }),
  };
}
