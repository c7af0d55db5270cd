// The client: a method for each thing a sender, an agent or a reader does. Arguments are named as TypeScript does it, and
// answers are the hub's own rows (generated/types.ts), so that fields of a newer hub stay reachable.

import { download, gather, type UploadOptions, type UploadSource, upload } from "./artifacts.js";
import { BatonError } from "./baton-error.js";
import { claimOf, defined, isSettled, newTask } from "./bodies.js";
import type {
  AskOptions,
  CallOptions,
  Claim,
  ClaimOptions,
  ClientOptions,
  ListOptions,
  ProgressReport,
  ReplyOptions,
  SendOptions,
  SentAndWaited,
} from "./client-options.js";
import { SettingsError } from "./errors.js";
import type * as wire from "./generated/types.js";
import { CALL_SECONDS, CALL_WAIT_MAX_SECONDS } from "./limits.js";
import { resultOf } from "./results.js";
import {
  type FollowOptions,
  followChannel,
  followTask,
  type HubEvent,
  isEnd,
  type TaskStreamEvent,
} from "./streams.js";
import { Transport } from "./transport.js";

export class Client {
  /** For what this class has no method for. */
  readonly transport: Transport;
  readonly #network: string | undefined;
  #networkId: Promise<string | undefined> | undefined;

  /** A client of a hub. Nothing is sent yet. */
  constructor(options: ClientOptions | { transport: Transport; network?: string | undefined }) {
    this.transport = "transport" in options ? options.transport : new Transport(options);
    this.#network = options.network;
  }

  /** The hub's address. */
  get hub(): string {
    return this.transport.hub;
  }

  /** The same hub, called with another token. */
  withToken(token: string, network?: string): Client {
    return new Client({ transport: this.transport.withToken(token), network });
  }

  /** Sends a task to an agent. With `waitSeconds` the answer has the task as it is then. */
  async send(alias: string, text: string, options: SendOptions & { waitSeconds: number }): Promise<SentAndWaited>;
  async send(alias: string, text: string, options?: SendOptions): Promise<wire.TaskSent>;
  async send(alias: string, text: string, options: SendOptions = {}): Promise<wire.TaskSent | SentAndWaited> {
    const limit = options.waitSeconds;
    const deadline = Date.now() + (limit ?? 0) * 1_000;
    const wait = limit === undefined ? undefined : Math.ceil(Math.min(limit, CALL_WAIT_MAX_SECONDS));
    const network_id = await this.networkId(options.signal);
    const body: wire.NewTask = { ...newTask(alias, text, options), ...defined({ network_id }) };
    const sent = await this.transport.json<wire.TaskSent>({
      method: "POST",
      path: ["api", "task"],
      json: wait === undefined ? body : { ...body, wait_seconds: wait },
      repeat: "always",
      waitSeconds: wait,
      signal: options.signal,
      retry: options.retry,
    });
    const left = (deadline - Date.now()) / 1_000;
    if (limit === undefined || isSettled(sent.task) || (sent.task && left <= 0)) return sent;
    const shown = await this.wait(sent.task_id, { timeoutSeconds: Math.max(0, left), signal: options.signal });
    const task = { ...shown.task, artifacts: shown.task.artifacts ?? [], messages: shown.messages ?? [] };
    return { ...sent, task, ended: isEnd(task.status) };
  }

  /** A task, its artifacts and its messages. */
  get(taskId: string, options: CallOptions & { waitSeconds?: number; after?: number } = {}): Promise<wire.TaskShown> {
    return this.transport.json({
      method: "GET",
      path: ["api", "tasks", taskId],
      query: { wait_seconds: options.waitSeconds, after: options.after },
      repeat: "always",
      waitSeconds: options.waitSeconds,
      signal: options.signal,
      retry: options.retry,
    });
  }

  /** Waits until a task has ended or asks for input, or the time is over: then it is as `get` shows it, and continues. */
  async wait(
    taskId: string,
    options: CallOptions & { timeoutSeconds?: number | undefined } = {},
  ): Promise<wire.TaskShown> {
    const deadline = Date.now() + (options.timeoutSeconds ?? Number.POSITIVE_INFINITY) * 1_000;
    let shown = await this.get(taskId, options);
    while (!isSettled(shown.task)) {
      const left = Math.ceil((deadline - Date.now()) / 1_000);
      if (left <= 0) break;
      const waitSeconds = Math.min(left, CALL_WAIT_MAX_SECONDS);
      shown = await this.get(taskId, { ...options, waitSeconds, after: shown.event_count });
    }
    return shown;
  }

  /**
   * Sends a task, waits for its end (600 s by default) and returns its whole result. Rejects with `TaskFailed` if it ends
   * without a reply, `InputRequired` if the agent asks something, `WaitTimedOut` if it is still open then.
   */
  async call(alias: string, text: string, options: SendOptions = {}): Promise<string> {
    const { task } = await this.send(alias, text, { ...options, waitSeconds: options.waitSeconds ?? CALL_SECONDS });
    return resultOf(this, task, task.messages, options.signal);
  }

  /** Waits for a task and returns its whole result; rejects as `call` does. */
  async result(taskId: string, options: CallOptions & { timeoutSeconds?: number | undefined } = {}): Promise<string> {
    const { task, messages } = await this.wait(taskId, options);
    return resultOf(this, task, messages ?? [], options.signal);
  }

  /** Makes a new task of one that ended without a reply; a second call gives the same one. */
  retry(taskId: string, options: CallOptions = {}): Promise<wire.Retried> {
    return this.#command(taskId, "retry", {}, { ...options, repeat: "always" });
  }

  /** Gives an open task to another agent. */
  reassign(taskId: string, newAlias: string, options: CallOptions = {}): Promise<wire.Reassigned> {
    return this.#command(taskId, "reassign", { new_alias: newAlias }, options);
  }

  /** Ends a task with an answer. */
  reply(taskId: string, text: string, options: ReplyOptions = {}): Promise<wire.Replied> {
    return this.#end(taskId, { text, status: "replied" }, options);
  }

  /** Ends a task as failed. */
  fail(taskId: string, text: string, options: ReplyOptions = {}): Promise<wire.Replied> {
    return this.#end(taskId, { text, status: "failed" }, options);
  }

  /** Declines a task: it ends as failed, and is marked as rejected. */
  reject(taskId: string, text: string, options: ReplyOptions = {}): Promise<wire.Replied> {
    return this.#end(taskId, { text, status: "failed", rejected: true }, options);
  }

  #end(taskId: string, ending: wire.Reply, options: ReplyOptions): Promise<wire.Replied> {
    const next = options.claimNext;
    const json: wire.Reply = {
      ...ending,
      ...defined({ lease_id: options.leaseId, artifacts: options.artifacts }),
      ...(next && { claim_next: defined({ wait_seconds: next.waitSeconds, lease_seconds: next.leaseSeconds }) }),
    };
    const waitSeconds = next?.waitSeconds;
    return this.#command(taskId, "reply", json, { ...options, waitSeconds });
  }

  /** Calls a task off. A task that had ended is answered with `cancelled: false`. */
  async cancel(
    taskId: string,
    options: CallOptions & { reason?: string; cascade?: boolean } = {},
  ): Promise<wire.Cancelled> {
    const json: wire.Cancel = defined({ reason: options.reason, cascade: options.cascade });
    try {
      return await this.#command(taskId, "cancel", json, options);
    } catch (error) {
      if (error instanceof BatonError && error.body["cancelled"] === false)
        return error.body as unknown as wire.Cancelled;
      throw error;
    }
  }

  /** Asks the sender of a task that you work on. */
  ask(taskId: string, question: string, options: AskOptions = {}): Promise<wire.Asked> {
    const json: wire.Question = {
      question,
      ...defined({
        options: options.choices,
        lease_id: options.leaseId,
        keep_lease: options.keepLease,
        input_ttl_seconds: options.inputTtlSeconds,
        auth_required: options.authRequired,
        artifacts: options.artifacts,
      }),
    };
    return this.#command(taskId, "ask", json, options);
  }

  /** Answers what the agent of a task asked, or says more. */
  answer(
    taskId: string,
    text: string,
    options: CallOptions & { artifacts?: readonly wire.ArtifactReference[] } = {},
  ): Promise<wire.Answered> {
    return this.#command(taskId, "answer", { text, ...defined({ artifacts: options.artifacts }) }, options);
  }

  /** Reports how far the work on a task is. */
  progress(taskId: string, leaseId: string, report: ProgressReport): Promise<wire.ProgressReported> {
    const { percent, message, output } = report;
    const json: wire.ProgressReport = { lease_id: leaseId, ...defined({ percent, message, output }) };
    // Output that came twice would be shown twice.
    return this.#command(taskId, "progress", json, { ...report, repeat: output === undefined ? "always" : "unsent" });
  }

  /** Shows an artifact, or more of one, before the task ends. */
  share(taskId: string, shared: wire.SharedArtifact, options: CallOptions = {}): Promise<wire.ArtifactShared> {
    const repeat = shared.append ? "unsent" : "always";
    return this.#command(taskId, "artifacts", shared, { ...options, repeat });
  }

  #command<T>(
    taskId: string,
    command: string,
    json: unknown,
    options: CallOptions & { waitSeconds?: number | undefined; repeat?: "always" | "unsent" },
  ): Promise<T> {
    return this.transport.json({
      method: "POST",
      path: ["api", "tasks", taskId, command],
      json,
      repeat: options.repeat ?? "unsent",
      waitSeconds: options.waitSeconds,
      signal: options.signal,
      retry: options.retry,
    });
  }

  /** Takes the next task under a lease; none if there was none in time. Takes an agent's token. */
  async claim(options: ClaimOptions = {}): Promise<Claim | undefined> {
    const answer = await this.transport.json<wire.Claimed>({
      method: "POST",
      path: ["api", "claim"],
      json: defined({ wait_seconds: options.waitSeconds, lease_seconds: options.leaseSeconds }),
      // If the answer was lost, the lease lapses and the task comes back.
      repeat: "unsent",
      waitSeconds: options.waitSeconds,
      signal: options.signal,
      retry: options.retry,
    });
    return claimOf(answer);
  }

  /** Goes on holding a lease. */
  extendLease(
    leaseId: string,
    options: CallOptions & { leaseSeconds?: number | undefined; progress?: number | undefined } = {},
  ): Promise<wire.LeaseExtended> {
    return this.transport.json({
      method: "POST",
      path: ["api", "leases", leaseId, "extend"],
      json: defined({ lease_seconds: options.leaseSeconds, progress: options.progress }),
      repeat: "always",
      signal: options.signal,
      retry: options.retry,
    });
  }

  /** Tasks, newest first, page after page. */
  list(options: ListOptions = {}): AsyncGenerator<wire.Task, void, undefined> {
    const query = {
      status: options.status,
      to_name: options.to,
      from_name: options.from,
      kind: options.kind,
      text: options.text,
      since: options.since,
      until: options.until,
      parent_task_id: options.parentTaskId,
      limit: options.pageSize,
    };
    return this.#pages<wire.Tasks, wire.Task>(["api", "tasks"], query, (page) => page.tasks, options.signal);
  }

  /** What was delivered to you and not acknowledged, page after page. */
  inbox(options: CallOptions & { pageSize?: number } = {}): AsyncGenerator<wire.Delivery, void, undefined> {
    const query = { limit: options.pageSize };
    return this.#pages<wire.Inbox, wire.Delivery>(["api", "inbox"], query, (page) => page.messages, options.signal);
  }

  /** Artifacts of the network, or of one task, newest first, page after page. */
  artifacts(
    options: CallOptions & { taskId?: string; pageSize?: number } = {},
  ): AsyncGenerator<wire.Artifact, void, undefined> {
    const query = { task_id: options.taskId, limit: options.pageSize };
    return this.#pages<wire.Artifacts, wire.Artifact>(
      ["api", "artifacts"],
      query,
      (page) => page.artifacts,
      options.signal,
    );
  }

  /** Agents that are there, or were within a day, page after page. */
  agents(options: CallOptions & { pageSize?: number } = {}): AsyncGenerator<wire.Agent, void, undefined> {
    const query = { limit: options.pageSize };
    return this.#pages<wire.Agents, wire.Agent>(["api", "agents"], query, (page) => page.agents, options.signal);
  }

  async *#pages<Page extends { next_cursor?: string | null }, Row>(
    path: readonly string[],
    query: Record<string, string | number | undefined>,
    rows: (page: Page) => readonly Row[],
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Row, void, undefined> {
    const network_id = await this.networkId(signal);
    let cursor: string | null | undefined;
    do {
      const page: Page = await this.transport.json({
        method: "GET",
        path,
        query: { ...query, network_id, cursor },
        repeat: "always",
        signal,
      });
      yield* rows(page);
      cursor = page.next_cursor;
    } while (cursor);
  }

  /** Acknowledges a delivery of your inbox: it is shown no more. */
  async ack(id: string, options: CallOptions = {}): Promise<void> {
    const network_id = await this.networkId(options.signal);
    await this.transport.json({
      method: "POST",
      path: ["api", "inbox", id, "ack"],
      json: defined({ network_id }),
      repeat: "unsent",
      signal: options.signal,
      retry: options.retry,
    });
  }

  /** Uploads an artifact; refer to it by its `sha256`. */
  async upload(source: UploadSource, options: UploadOptions = {}): Promise<wire.Artifact> {
    return upload(this.transport, await this.networkId(options.signal), source, options);
  }

  /** The bytes of an artifact as a stream. It resumes by itself, and fails at its end if the bytes are other ones. */
  async download(sha256: string, options: CallOptions = {}): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    return download(this.transport, await this.networkId(options.signal), sha256, options.signal);
  }

  /** All bytes of an artifact; more than `maxBytes` (256 MiB by default) are an error. */
  async bytes(sha256: string, options: CallOptions & { maxBytes?: number } = {}): Promise<Uint8Array<ArrayBuffer>> {
    return gather(await this.download(sha256, options), options.maxBytes);
  }

  /** What happens to you: an agent's inbox, or with a user's token the user's. Resumes by itself, until it is left. */
  async *events(options: FollowOptions & { alias?: string } = {}): AsyncGenerator<HubEvent, void, undefined> {
    const name = options.alias ?? (this.transport.isNode ? (await this.me(options)).alias : "me");
    if (!name) throw new SettingsError("this token has no alias yet; use one of `baton node create ALIAS`");
    const network_id = this.transport.isNode ? undefined : await this.networkId(options.signal);
    yield* followChannel(this.transport, { path: ["events", name], query: { network_id } }, options);
  }

  /** Everything that happens in a network. Takes a user's token. */
  async *networkEvents(networkId: string, options: FollowOptions = {}): AsyncGenerator<HubEvent, void, undefined> {
    yield* followChannel(this.transport, { path: ["events", "network", networkId] }, options);
  }

  /** One task's statuses, progress and output, until it has ended. Resumes by itself. */
  taskEvents(taskId: string, options: FollowOptions = {}): AsyncGenerator<TaskStreamEvent, void, undefined> {
    return followTask(this.transport, taskId, options);
  }

  /** Who calls. */
  me(options: CallOptions = {}): Promise<wire.Profile> {
    return this.transport.json({
      method: "GET",
      path: ["api", "auth", "me"],
      repeat: "always",
      signal: options.signal,
      retry: options.retry,
    });
  }

  /** The id of the network that was named; none if none was. */
  async networkId(signal?: AbortSignal): Promise<string | undefined> {
    const named = this.#network;
    if (named === undefined || /^net_[0-9a-f]+$/.test(named)) return named;
    this.#networkId ??= this.#findNetwork(named, signal).catch((error: unknown) => {
      this.#networkId = undefined;
      throw error;
    });
    return this.#networkId;
  }

  async #findNetwork(name: string, signal: AbortSignal | undefined): Promise<string> {
    const found: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page: wire.Networks = await this.transport.json({
        method: "GET",
        path: ["api", "networks"],
        query: { cursor },
        repeat: "always",
        signal,
      });
      found.push(...page.networks.filter((one) => one.network_name === name).map((one) => one.network_id));
      cursor = page.next_cursor;
    } while (cursor);
    const [only, another] = found;
    if (only === undefined) throw new SettingsError(`you are in no network called ${JSON.stringify(name)}`);
    if (another !== undefined)
      throw new SettingsError(`several networks are called ${JSON.stringify(name)}; name yours by its id`);
    return only;
  }
}
