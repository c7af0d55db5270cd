// The worker: takes the tasks of an alias, runs a handler for each, and replies with what it returns. Every slot has its
// own claim, and a reply takes the next task along. What belongs to one task is in lease.ts and handler-task.ts.

import { type AgentClient, openAgentClient } from "./agent-token.js";
import { BatonError } from "./baton-error.js";
import { claimOf, defined } from "./bodies.js";
import type { Client } from "./client.js";
import type { Claim } from "./client-options.js";
import { SettingsError, type TaskCancelled } from "./errors.js";
import type { ArtifactReference } from "./generated/types.js";
import { HandlerTask } from "./handler-task.js";
import { Lease, type Notice } from "./lease.js";
import * as limits from "./limits.js";
import { bounded, failed, type Outcome, succeeded } from "./outcome.js";
import { aborted, Backoff, pause } from "./pause.js";
import { fitting } from "./results.js";
import { withinTrace } from "./trace.js";
import { isPassing } from "./transport.js";
import type { AgentOptions, Handler, WorkerEvent } from "./worker-options.js";

/** Starts a worker for an alias. */
export function agent(alias: string, handler: Handler, options: AgentOptions): Worker {
  return new Worker(alias, handler, options);
}

export class Worker {
  readonly alias: string;
  /** Resolves when the worker has stopped; rejects if the hub will not have it. */
  readonly done: Promise<void>;
  readonly #handler: Handler;
  readonly #options: AgentOptions;
  readonly #leaseSeconds: number;
  readonly #running = new Map<string, Lease>();
  readonly #notices = new Map<string, Notice>();
  /** Aborted: no new task. */
  readonly #draining = new AbortController();
  /** Aborted: nothing any more. */
  readonly #ended = new AbortController();
  #isAway = false;

  constructor(alias: string, handler: Handler, options: AgentOptions) {
    this.alias = alias;
    this.#handler = handler;
    this.#options = options;
    this.#leaseSeconds = within(
      "leaseSeconds",
      options.leaseSeconds ?? limits.LEASE_DEFAULT_SECONDS,
      limits.LEASE_MIN_SECONDS,
      limits.LEASE_MAX_SECONDS,
    );
    const concurrency = within("concurrency", options.concurrency ?? 1, 1, limits.CONCURRENCY_MAX);
    const stop = () => void this.stop();
    options.signal?.addEventListener("abort", stop);
    if (options.signal?.aborted) this.#draining.abort();
    this.done = this.#work(concurrency).finally(() => {
      options.signal?.removeEventListener("abort", stop);
      this.#tell({ type: "stopped" });
    });
  }

  /** How many tasks run now. */
  get running(): number {
    return this.#running.size;
  }

  /**
   * Takes no new task, lets running handlers end and reply, and resolves when the worker has stopped. With `now` running
   * tasks are given up: the hub delivers them again when their leases lapse.
   */
  async stop(options: { now?: boolean } = {}): Promise<void> {
    this.#draining.abort();
    if (options.now) this.#giveUp();
    // Whoever waits for `done` gets its error.
    await this.done.catch(() => undefined);
  }

  #giveUp(): void {
    this.#draining.abort();
    this.#ended.abort();
    for (const lease of this.#running.values()) lease.lose("worker_stopped");
  }

  async #work(concurrency: number): Promise<void> {
    const opened = await this.#open();
    if (opened === undefined) return;
    const { client } = opened;
    this.#tell({ type: "waiting", alias: this.alias, hub: client.hub, concurrency });
    const background = new AbortController();
    const beside = [
      this.#listen(client, background.signal),
      this.#stayRegistered(client, concurrency, background.signal),
    ];
    try {
      const slots = Array.from({ length: concurrency }, () => this.#fillSlot(client));
      await this.#allOf(slots);
    } finally {
      background.abort();
      await Promise.all(beside);
      await opened.close().catch((error: unknown) => this.#warn("the token of this run could not be revoked", error));
    }
  }

  /** Waits for every slot. One that the hub will not have any more ends the others. */
  async #allOf(slots: readonly Promise<void>[]): Promise<void> {
    const errors: unknown[] = [];
    await Promise.all(
      slots.map((slot) =>
        slot.catch((error: unknown) => {
          errors.push(error);
          this.#giveUp();
        }),
      ),
    );
    if (errors.length > 0) throw errors[0];
  }

  /** The client that speaks as the alias, however long the hub is away; none if the worker is stopped first. */
  async #open(): Promise<AgentClient | undefined> {
    const { signal } = this.#draining;
    try {
      return await this.#patiently(() => openAgentClient(this.#options.client, this.alias, signal), signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  async #fillSlot(client: Client): Promise<void> {
    let next: Claim | undefined;
    while (!this.#ended.signal.aborted) {
      // What a reply has brought along is worked on also when the worker stops: it was taken before.
      const claim: Claim | undefined = next ?? (await this.#claim(client));
      if (claim === undefined) return;
      next = await this.#run(client, claim);
    }
  }

  /** The next task, however long it takes to come; none if the worker stops. */
  async #claim(client: Client): Promise<Claim | undefined> {
    const { signal } = this.#draining;
    const backoff = new Backoff();
    while (!signal.aborted) {
      const asked = Date.now();
      try {
        const options = { waitSeconds: limits.CLAIM_WAIT_SECONDS, leaseSeconds: this.#leaseSeconds, signal };
        const claim = await this.#patiently(() => client.claim(options), signal);
        if (claim !== undefined) return claim;
        // A hub that is stopping does not wait.
        if (Date.now() - asked < limits.CLAIM_NOT_WAITED_MILLIS) await pause(backoff.next(), signal);
      } catch (error) {
        // A claim that is given up here may just have been granted: then its lease lapses and the task comes back.
        if (!signal.aborted) throw error;
      }
    }
    return undefined;
  }

  /** One task from its claim to its reply; returns the next one, if the reply has brought it. */
  async #run(client: Client, claim: Claim): Promise<Claim | undefined> {
    const taskId = claim.task.task_id;
    const lease = new Lease(client, taskId, claim.lease_id, this.#leaseSeconds);
    this.#running.set(taskId, lease);
    const early = this.#notices.get(taskId);
    if (early !== undefined) lease.notice(early);
    if (this.#ended.signal.aborted) lease.lose("worker_stopped");
    const kept = lease.keep();
    try {
      this.#tell({ type: "running", taskId, from: claim.task.from_name, attempt: claim.task.attempt });
      const outcome = await this.#outcome(new HandlerTask(client, claim, lease), claim, lease);
      return outcome === undefined ? undefined : await this.#reply(client, claim, lease, outcome);
    } finally {
      lease.release();
      await kept;
      this.#running.delete(taskId);
    }
  }

  /** What the handler made of the task; none if it is no longer ours. */
  async #outcome(task: HandlerTask, claim: Claim, lease: Lease): Promise<Outcome | undefined> {
    const api = this.#options.client.transport.openTelemetry;
    const handled = (async () => withinTrace(api, claim.traceparent, () => this.#handler(task)))();
    // What a handler must not return fails its task, as what it throws does.
    const outcome = handled.then(succeeded).catch(failed);
    const lost = aborted(lease.signal);
    const first = await Promise.race([outcome, lost.promise]);
    lost.unlink();
    if (first !== undefined && !lease.signal.aborted) return first;
    this.#tell({ type: "lost", taskId: task.id, why: (lease.signal.reason as TaskCancelled).why });
    const grace = new AbortController();
    const millis = (this.#options.graceSeconds ?? limits.GRACE_SECONDS) * 1_000;
    const waited = pause(millis, grace.signal).then(
      () => this.#tell({ type: "handler_goes_on", taskId: task.id }),
      () => undefined,
    );
    await Promise.race([outcome.then(() => grace.abort()), waited]);
    return undefined;
  }

  /** Sends the outcome until the hub has taken it or refuses it. */
  async #reply(client: Client, claim: Claim, lease: Lease, outcome: Outcome): Promise<Claim | undefined> {
    const taskId = claim.task.task_id;
    const { signal } = this.#ended;
    let sent = outcome;
    try {
      const { text, whole } = await this.#patiently(() => fitting(client, outcome.text, signal), signal);
      if (whole !== undefined) sent = { ...outcome, text, artifacts: [whole, ...(outcome.artifacts ?? [])] };
      const { status, artifacts } = sent;
      const end = status === "replied" ? "reply" : status === "failed" ? "fail" : "reject";
      const replied = await this.#patiently(() => {
        // There is no wait for the next one, in which this one would look as if it ran on.
        const claimNext = this.#draining.signal.aborted ? undefined : { leaseSeconds: this.#leaseSeconds };
        return client[end](taskId, text, { leaseId: claim.lease_id, artifacts, claimNext, signal });
      }, signal);
      this.#tell({ type: "ended", taskId, status });
      return claimOf(replied.next);
    } catch (error) {
      return this.#notTaken(client, claim, lease, sent, error);
    }
  }

  async #notTaken(
    client: Client,
    claim: Claim,
    lease: Lease,
    outcome: Outcome,
    error: unknown,
  ): Promise<Claim | undefined> {
    const taskId = claim.task.task_id;
    const code = error instanceof BatonError ? error.code : "";
    // The hub may have taken an answer and gone away before it said so. Then the task has ended, with this very text.
    if (code === "reply_task_terminal" && (await this.#isTaken(client, taskId, outcome))) {
      this.#tell({ type: "ended", taskId, status: outcome.status });
      return undefined;
    }
    // A result that breaks a rule (an unknown artifact, no room for it) ends the task anyway, and says why.
    const isOfResult = error instanceof BatonError && REFUSED_RESULTS.has(code);
    if (isOfResult && outcome.artifacts !== NO_ARTIFACTS) {
      const text = bounded(`the handler's result was refused: ${error.message}`);
      return this.#reply(client, claim, lease, { status: "failed", text, artifacts: NO_ARTIFACTS });
    }
    this.#tell({ type: "not_taken", taskId, error });
    if (code === "unauthorized") throw error;
    return undefined;
  }

  async #isTaken(client: Client, taskId: string, outcome: Outcome): Promise<boolean> {
    try {
      return (await client.get(taskId, { signal: this.#ended.signal })).task.result === outcome.text;
    } catch (error) {
      this.#warn("cannot see whether the reply was taken", error);
      return false;
    }
  }

  /** The agent's stream: running tasks learn at once that they were cancelled or given to another agent. */
  async #listen(client: Client, signal: AbortSignal): Promise<void> {
    try {
      for await (const event of client.events({ alias: this.alias, signal })) {
        if (event.type === "task_cancelled") this.#notice(event.task_id, "cancelled");
        else if (event.type === "task_reassigned") this.#notice(event.task_id, "reassigned");
        else if (event.type === "connected" || event.type === "reset") {
          for (const lease of this.#running.values()) lease.notice("gap");
        }
      }
    } catch (error) {
      // Without the stream a cancel is noticed when the lease is extended next.
      if (!signal.aborted) this.#warn("cancels are noticed late, the agent's stream is refused", error);
    }
  }

  #notice(taskId: string, notice: Notice): void {
    this.#running.get(taskId)?.notice(notice);
    this.#notices.set(taskId, notice);
    const [oldest] = this.#notices.keys();
    if (this.#notices.size > limits.NOTICES_REMEMBERED && oldest !== undefined) this.#notices.delete(oldest);
  }

  /** The worker's row at the hub: renewed while it runs, removed at its end. Work continues without it. */
  async #stayRegistered(client: Client, concurrency: number, signal: AbortSignal): Promise<void> {
    const path = ["api", "workers", crypto.randomUUID()];
    const { description, skills, hostname, projectDir, version } = this.#options;
    const json = defined({ concurrency, description, skills, hostname, project_dir: projectDir, version });
    let isWarned = false;
    while (!signal.aborted) {
      let wait = limits.WORKER_SEEN_MILLIS;
      try {
        await client.transport.json({ method: "PUT", path, json, repeat: "always", retry: { tries: 1 }, signal });
      } catch (error) {
        if (isPassing(error)) wait = limits.WORKER_SEEN_RETRY_MILLIS;
        else if (!signal.aborted && !isWarned) this.#warn("this worker is not listed", error);
        isWarned ||= !isPassing(error);
      }
      await pause(wait, signal).catch(() => undefined);
    }
    const limit = AbortSignal.timeout(limits.LAST_CALLS_MILLIS);
    await client.transport
      .json({ method: "DELETE", path, repeat: "always", signal: limit })
      .catch((error: unknown) => this.#warn("the hub notices by the silence that this worker has stopped", error));
  }

  /** A call that is made until the hub answers it. What the hub refuses is thrown. */
  async #patiently<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const backoff = new Backoff();
    for (;;) {
      try {
        const answer = await call();
        if (this.#isAway) this.#tell({ type: "hub_back" });
        this.#isAway = false;
        return answer;
      } catch (error) {
        if (signal.aborted || !isPassing(error)) throw error;
        if (!this.#isAway) this.#tell({ type: "hub_away", error });
        this.#isAway = true;
        const asked = error instanceof BatonError ? (error.retryAfterMillis ?? 0) : 0;
        await pause(Math.max(backoff.next(), asked), signal);
      }
    }
  }

  #tell(event: WorkerEvent): void {
    try {
      this.#options.onEvent?.(event);
    } catch (error) {
      // The listener's own error is the program's to know, and must not end a task or a slot.
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  #warn(what: string, error: unknown): void {
    this.#tell({ type: "warning", what, error });
  }
}

/** What the hub says to a result that it cannot take. */
const REFUSED_RESULTS = new Set([
  "invalid input",
  "invalid JSON",
  "body too large",
  "artifact_not_found",
  "artifact_too_large",
  "artifact_quota_exceeded",
]);

/** Marks a reply that has been reduced already: it is not reduced again. */
const NO_ARTIFACTS: readonly ArtifactReference[] = [];

function within(what: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new SettingsError(`${what} is ${value}; it must be a whole number from ${least} to ${most}`);
}
