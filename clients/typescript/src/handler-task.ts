// A task in a handler's hands: what it says, and what the handler can do about it while it works. Every call rejects with
// `TaskCancelled` once the task is no longer this worker's.

import type { UploadOptions, UploadSource } from "./artifacts.js";
import { BatonError } from "./baton-error.js";
import { newTask } from "./bodies.js";
import type { Client } from "./client.js";
import type { CallOptions, Claim, SendOptions, SentAndWaited } from "./client-options.js";
import { hasCode, TaskRejected } from "./errors.js";
import type * as wire from "./generated/types.js";
import type { Lease } from "./lease.js";
import { CALL_SECONDS, CALL_WAIT_MAX_SECONDS } from "./limits.js";
import { Backoff, LinkedAbort, pause } from "./pause.js";
import { resultOf } from "./results.js";
import { Sha256 } from "./sha256.js";
import { isEnd } from "./streams.js";
import { isPassing } from "./transport.js";

/** A file that came with a task or one of its messages. */
export class TaskFile {
  constructor(
    readonly artifact: wire.Artifact,
    readonly task: HandlerTask,
  ) {}

  get name(): string {
    return this.artifact.name;
  }

  get sha256(): string {
    return this.artifact.sha256;
  }

  /** In bytes. */
  get size(): number {
    return this.artifact.size;
  }

  get mediaType(): string {
    return this.artifact.media_type;
  }

  /** The bytes as they come; the stream fails at its end if they are not the right ones. */
  stream(): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    return this.task.client.download(this.sha256, { signal: this.task.signal });
  }

  bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return this.task.client.bytes(this.sha256, { signal: this.task.signal });
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(await this.bytes());
  }
}

export interface TaskAskOptions extends CallOptions {
  readonly choices?: readonly string[] | undefined;
  readonly inputTtlSeconds?: number | undefined;
  readonly authRequired?: boolean | undefined;
  readonly artifacts?: readonly wire.ArtifactReference[] | undefined;
}

export interface ShareOptions extends UploadOptions {
  /** What the artifact is called among those of the task; its name by default. The same again replaces it. */
  readonly id?: string | undefined;
  /** Add to what was shared under the id. */
  readonly append?: boolean | undefined;
  /** Nothing is added to it any more. */
  readonly lastChunk?: boolean | undefined;
  readonly description?: string | undefined;
}

export class HandlerTask {
  readonly client: Client;
  /** Aborted with `TaskCancelled` when the task is cancelled, reassigned, or its lease is lost. */
  readonly signal: AbortSignal;
  readonly #claim: Claim;
  readonly #lease: Lease;
  /** Answers of earlier runs that this run has not asked for yet. */
  readonly #answered: { question: string; answer: string }[];
  readonly #sends = new Map<string, number>();

  constructor(client: Client, claim: Claim, lease: Lease) {
    this.client = client;
    this.signal = lease.signal;
    this.#claim = claim;
    this.#lease = lease;
    this.#answered = answered(claim.messages);
  }

  get id(): string {
    return this.#claim.task.task_id;
  }

  /** What is to be done. */
  get text(): string {
    return this.#claim.task.content;
  }

  /** Who sent it. */
  get from(): string {
    return this.#claim.task.from_name;
  }

  get context(): string | undefined {
    return this.#claim.task.context ?? undefined;
  }

  /** 1, or more if an earlier worker was lost. */
  get attempt(): number {
    return this.#claim.task.attempt;
  }

  /** The task's row as the hub sent it. */
  get row(): wire.Task {
    return this.#claim.task;
  }

  /** The messages on the task before this run. */
  get messages(): readonly wire.TaskMessage[] {
    return this.#claim.messages;
  }

  get leaseId(): string {
    return this.#claim.lease_id;
  }

  /** Whether the task is no longer this worker's. */
  get isCancelled(): boolean {
    return this.signal.aborted;
  }

  /** The files that came with the task and with its messages. */
  get files(): readonly TaskFile[] {
    const of = this.#claim.artifacts.filter((artifact) => artifact.source === "task");
    const said = this.#claim.messages.flatMap((message) => message.artifacts ?? []);
    return [...of, ...said].map((artifact) => new TaskFile(artifact, this));
  }

  /**
   * Asks the sender and waits for the answer; the lease is kept meanwhile. A run that begins again gets the answers that
   * an earlier run received to the same questions, and asks none of them twice.
   */
  async ask(question: string, options: TaskAskOptions = {}): Promise<string> {
    const known = this.#answered.findIndex((one) => one.question === question);
    const [earlier] = known < 0 ? [] : this.#answered.splice(known, 1);
    if (earlier !== undefined) return earlier.answer;
    return this.#held(options.signal, async (signal) => {
      const questionId = await this.#post(question, options, signal);
      return this.#answerTo(questionId, signal);
    });
  }

  /** Asks, and finds the question again if the answer to the call was lost. */
  async #post(question: string, options: TaskAskOptions, signal: AbortSignal): Promise<string> {
    const before = await this.#patiently(() => this.client.get(this.id, { signal }), signal);
    const known = new Set(before.messages?.map((message) => message.message_id));
    const backoff = new Backoff();
    for (;;) {
      try {
        const asked = { ...options, leaseId: this.leaseId, keepLease: true, signal };
        return (await this.client.ask(this.id, question, asked)).message_id;
      } catch (error) {
        if (!isPassing(error) && !hasCode(error, "task_is_waiting_input")) throw error;
        const shown = await this.#patiently(() => this.client.get(this.id, { signal }), signal);
        const last = shown.messages?.findLast((message) => message.kind === "question");
        const isOurs = last?.content === question && (!known.has(last.message_id) || !isPassing(error));
        if (last !== undefined && isOurs) return last.message_id;
        if (!isPassing(error)) throw error;
        await pause(backoff.next(), signal);
      }
    }
  }

  async #answerTo(questionId: string, signal: AbortSignal): Promise<string> {
    let after: number | undefined;
    for (;;) {
      const asked = after;
      const wait = asked === undefined ? {} : { after: asked, waitSeconds: CALL_WAIT_MAX_SECONDS / 2 };
      const shown = await this.#patiently(() => this.client.get(this.id, { ...wait, signal }), signal);
      const messages = shown.messages ?? [];
      const place = messages.findIndex((message) => message.message_id === questionId);
      const later = place < 0 ? [] : messages.slice(place + 1);
      const answer = later.find((message) => message.kind === "answer");
      if (answer !== undefined) return answer.content;
      if (isEnd(shown.task.status)) throw await this.#lease.lost();
      after = shown.event_count;
    }
  }

  /** A read that waits for a hub that is away: the question does not go away with it. */
  async #patiently<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const backoff = new Backoff();
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (!isPassing(error)) throw error;
        await pause(backoff.next(), signal);
      }
    }
  }

  /** Reports how far the work is. The hub writes one report a second, so that a report may wait for its turn. */
  progress(percent?: number, message?: string, options: CallOptions & { output?: string } = {}): Promise<void> {
    return this.#held(options.signal, async (signal) => {
      await this.client.progress(this.id, this.leaseId, { percent, message, output: options.output, signal });
    });
  }

  /** Shows a text or a file before the task ends. */
  share(name: string, content: UploadSource, options: ShareOptions = {}): Promise<wire.ArtifactShared> {
    return this.#held(options.signal, async (signal) => {
      const part = await this.#part(name, content, options, signal);
      const { append, lastChunk, description } = options;
      const shared = { lease_id: this.leaseId, artifact_id: options.id ?? name, name, parts: [part] };
      const flags = { append: append ?? false, last_chunk: lastChunk ?? false };
      return this.client.share(this.id, { ...shared, ...flags, description: description ?? null }, { signal });
    });
  }

  async #part(name: string, content: UploadSource, options: ShareOptions, signal: AbortSignal): Promise<wire.Part> {
    if (typeof content === "string") return { text: content, media_type: options.mediaType ?? null };
    const artifact = await this.client.upload(content, { name, mediaType: options.mediaType, signal });
    return { sha256: artifact.sha256, filename: name, media_type: artifact.media_type };
  }

  /** Uploads a file, to be returned with the reply or sent with a question. */
  upload(content: UploadSource, options: UploadOptions = {}): Promise<wire.Artifact> {
    return this.#held(options.signal, (signal) => this.client.upload(content, { ...options, signal }));
  }

  /**
   * Sends a task that is part of this one. A run that begins again and sends the same gets the task that the earlier run
   * sent, instead of a second one.
   */
  send(alias: string, text: string, options: SendOptions & { waitSeconds: number }): Promise<SentAndWaited>;
  send(alias: string, text: string, options?: SendOptions): Promise<wire.TaskSent>;
  send(alias: string, text: string, options: SendOptions = {}): Promise<wire.TaskSent | SentAndWaited> {
    const child = { parentTaskId: this.id, ...options };
    const idempotencyKey = options.idempotencyKey ?? this.#key(alias, text, child);
    return this.#held(options.signal, (signal) => this.client.send(alias, text, { ...child, idempotencyKey, signal }));
  }

  /** Sends a task that is part of this one and returns its whole result; rejects as the client's `call` does. */
  async call(alias: string, text: string, options: SendOptions = {}): Promise<string> {
    const { task } = await this.send(alias, text, { ...options, waitSeconds: options.waitSeconds ?? CALL_SECONDS });
    return this.#held(options.signal, (signal) => resultOf(this.client, task, task.messages, signal));
  }

  /** What a call sends makes its key, and equal calls are numbered in their order. */
  #key(alias: string, text: string, options: SendOptions): string {
    const call = JSON.stringify(newTask(alias, text, { ...options, idempotencyKey: this.id }));
    const count = (this.#sends.get(call) ?? 0) + 1;
    this.#sends.set(call, count);
    return new Sha256().update(new TextEncoder().encode(`${count}\n${call}`)).hex();
  }

  /** Declines the task: it ends as `failed` with `rejected`. Does not return. */
  reject(reason: string): never {
    throw new TaskRejected(reason);
  }

  /** Runs a call as long as the lease holds; an answer that the lease is lost ends the task for its handler. */
  async #held<T>(signal: AbortSignal | undefined, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const abort = new LinkedAbort(this.signal, signal);
    try {
      abort.signal.throwIfAborted();
      return await run(abort.signal);
    } catch (error) {
      if (this.signal.aborted) throw this.signal.reason;
      if (error instanceof BatonError && error.code === "lease_lost") throw await this.#lease.lost();
      throw error;
    } finally {
      abort.unlink();
    }
  }
}

/** The questions of a conversation that have an answer, oldest first. */
function answered(messages: readonly wire.TaskMessage[]): { question: string; answer: string }[] {
  const found: { question: string; answer: string }[] = [];
  let open: string | undefined;
  for (const message of messages) {
    if (message.kind === "question") open = message.content;
    if (message.kind !== "answer" || open === undefined) continue;
    found.push({ question: open, answer: message.content });
    open = undefined;
  }
  return found;
}
