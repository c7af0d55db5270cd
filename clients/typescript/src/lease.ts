// A lease that is kept in the background: extended at a third of its time, and at once after a notice that something
// happened to its task. While the hub is away the handler continues; whether the lease still holds is for the hub to say.

import type { Client } from "./client.js";
import { type LossReason, TaskCancelled } from "./errors.js";
import { Backoff, pause } from "./pause.js";
import { isPassing } from "./transport.js";

/** What a stream says of a task; `gap` if it may have missed something. */
export type Notice = "cancelled" | "reassigned" | "gap";

export class Lease {
  readonly #client: Client;
  readonly #taskId: string;
  readonly #leaseId: string;
  readonly #leaseSeconds: number;
  /** Aborted when the task is no longer ours. */
  readonly #lost = new AbortController();
  /** Aborted when the lease need not be kept any longer. */
  readonly #over = new AbortController();
  #notice: Notice | undefined;
  #wake: (() => void) | undefined;

  constructor(client: Client, taskId: string, leaseId: string, leaseSeconds: number) {
    this.#client = client;
    this.#taskId = taskId;
    this.#leaseId = leaseId;
    this.#leaseSeconds = leaseSeconds;
  }

  /** Aborted with `TaskCancelled` when the task is no longer ours. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** Something happened to the task: the hub is asked at once. */
  notice(notice: Notice): void {
    if (notice !== "gap" || this.#notice === undefined) this.#notice = notice;
    this.#wake?.();
  }

  /** The hub says that the lease no longer holds. Finds out why, and returns what the task's calls reject with. */
  async lost(): Promise<TaskCancelled> {
    if (this.#lost.signal.aborted) return this.lose("lease_lost");
    if (this.#notice === "cancelled" || this.#notice === "reassigned") return this.lose(this.#notice);
    // The stream's notice may be on its way; the task itself knows.
    const why = await this.#client.get(this.#taskId, { retry: { tries: 1 }, signal: this.#over.signal }).then(
      ({ task }) => (task.status === "cancelled" ? "cancelled" : "lease_lost"),
      () => "lease_lost" as const, // a hub that cannot say now, or a task that is out of sight
    );
    return this.lose(why);
  }

  /** The task is no longer ours. Returns what its calls reject with. */
  lose(why: LossReason): TaskCancelled {
    if (!this.#lost.signal.aborted) this.#lost.abort(new TaskCancelled(this.#taskId, why));
    this.#over.abort();
    return this.#lost.signal.reason as TaskCancelled;
  }

  /** Stops keeping it. */
  release(): void {
    this.#over.abort();
  }

  /** Keeps it until it is lost or released. */
  async keep(): Promise<void> {
    const third = (this.#leaseSeconds * 1_000) / 3;
    const backoff = new Backoff();
    // A notice may have come before the claim's answer.
    let wait = this.#notice === undefined ? third : 0;
    while (!this.#over.signal.aborted) {
      await this.#pause(wait);
      if (this.#over.signal.aborted) return;
      try {
        const leaseSeconds = this.#leaseSeconds;
        await this.#client.extendLease(this.#leaseId, { leaseSeconds, retry: { tries: 1 }, signal: this.#over.signal });
        backoff.reset();
        wait = third;
      } catch (error) {
        if (this.#over.signal.aborted) return;
        if (!isPassing(error)) await this.lost();
        wait = Math.min(third, backoff.next());
      }
    }
  }

  /** Waits, until a notice comes. */
  async #pause(millis: number): Promise<void> {
    const woken = new AbortController();
    const wake = () => woken.abort();
    this.#wake = wake;
    this.#over.signal.addEventListener("abort", wake);
    // Woken early is all that its rejection means.
    await pause(millis, woken.signal).catch(() => undefined);
    this.#over.signal.removeEventListener("abort", wake);
    this.#wake = undefined;
  }
}
