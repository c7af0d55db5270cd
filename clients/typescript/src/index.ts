// baton-hub-client: what runs everywhere, browsers included. Files, profiles, the environment and signals of a process are
// in `baton-hub-client/node`, which also has all of this.

export type { UploadOptions, UploadSource } from "./artifacts.js";
export { BatonError, type ErrorFacts } from "./baton-error.js";
export { Client } from "./client.js";
export type {
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
  WaitedTask,
} from "./client-options.js";
export {
  HubUnreachable,
  hasCode,
  InputRequired,
  type LossReason,
  SettingsError,
  TaskCancelled,
  TaskFailed,
  TaskRejected,
  WaitTimedOut,
  WrongBytes,
} from "./errors.js";
export * from "./generated/error-classes.js";
export type * as wire from "./generated/types.js";
export { HandlerTask, type ShareOptions, type TaskAskOptions, TaskFile } from "./handler-task.js";
export type { Hasher } from "./sha256.js";
export { type FollowOptions, type HubEvent, isEnd, type TaskStreamEvent } from "./streams.js";
export type { OpenTelemetry } from "./trace.js";
export type { RetryOptions } from "./transport.js";
export { agent, Worker } from "./worker.js";
export type { AgentOptions, Handler, HandlerResult, WorkerEvent } from "./worker-options.js";
