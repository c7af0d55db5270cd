// Waiting: pauses that an AbortSignal ends, growing pauses between tries, and a signal that several things can abort.

import { BACKOFF_FIRST_MILLIS, BACKOFF_MAX_MILLIS } from "./limits.js";

/** Waits; rejects with the signal's reason if it is aborted first. */
export function pause(millis: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(done, millis);
    signal?.addEventListener("abort", aborted);
    function done() {
      signal?.removeEventListener("abort", aborted);
      resolve();
    }
    function aborted() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", aborted);
      reject(signal?.reason);
    }
  });
}

/** Pauses that double up to a bound, with jitter, so that many clients of one hub do not come back at the same moment. */
export class Backoff {
  #failures = 0;

  constructor(
    readonly firstMillis = BACKOFF_FIRST_MILLIS,
    readonly maxMillis = BACKOFF_MAX_MILLIS,
  ) {}

  /** The next pause: between half of and the whole of what is due. */
  next(): number {
    const due = Math.min(this.maxMillis, this.firstMillis * 2 ** Math.min(this.#failures, 16));
    this.#failures += 1;
    return due / 2 + (due / 2) * Math.random();
  }

  reset(): void {
    this.#failures = 0;
  }
}

/**
 * A controller that is aborted with any of the given signals. Call `unlink` when the work is over: a signal that lives
 * as long as a worker would otherwise keep a listener for every call.
 */
export class LinkedAbort {
  readonly #controller = new AbortController();
  readonly #unlink: (() => void)[] = [];

  constructor(...signals: readonly (AbortSignal | undefined)[]) {
    for (const signal of signals) {
      if (signal === undefined) continue;
      const abort = () => this.#controller.abort(signal.reason);
      if (signal.aborted) abort();
      signal.addEventListener("abort", abort);
      this.#unlink.push(() => signal.removeEventListener("abort", abort));
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  unlink(): void {
    for (const unlink of this.#unlink.splice(0)) unlink();
  }
}

/** Resolves with undefined when a signal is aborted. */
export function aborted(signal: AbortSignal): { promise: Promise<undefined>; unlink: () => void } {
  const { promise, resolve } = withResolvers<undefined>();
  const done = () => resolve(undefined);
  if (signal.aborted) done();
  signal.addEventListener("abort", done);
  return { promise, unlink: () => signal.removeEventListener("abort", done) };
}

/** `Promise.withResolvers`, which Node 20 has not. */
function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
