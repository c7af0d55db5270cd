// A worker as a program of its own: the client comes from the environment or the profile, SIGTERM and SIGINT stop it, and
// what goes wrong is reported on standard error.

import { hostname } from "node:os";
import { type AgentOptions, agent as coreAgent, type Handler, type Worker, type WorkerEvent } from "../index.js";
import { type ConnectOptions, connect } from "./connect.js";

export interface NodeAgentOptions extends Omit<AgentOptions, "client">, ConnectOptions {
  readonly client?: AgentOptions["client"] | undefined;
  /** Stop on SIGTERM and SIGINT; a second one gives running tasks up. True by default. */
  readonly handleSignals?: boolean | undefined;
}

/** Starts a worker for an alias. Resolves when it runs; `worker.done` resolves when it has stopped. */
export async function agent(alias: string, handler: Handler, options: NodeAgentOptions = {}): Promise<Worker> {
  const { client = await connect(options), handleSignals = true, onEvent = report, ...others } = options;
  let worker: Worker | undefined;
  const unlisten = handleSignals ? onSignals((isFirst) => void worker?.stop({ now: !isFirst })) : () => undefined;
  worker = coreAgent(alias, handler, {
    hostname: hostname(),
    projectDir: process.cwd(),
    ...others,
    client,
    onEvent: (event) => {
      if (event.type === "stopped") unlisten();
      onEvent(event);
    },
  });
  return worker;
}

/** Calls back at each signal that asks the process to end; returns what stops that. */
function onSignals(ask: (isFirst: boolean) => void): () => void {
  let isFirst = true;
  const asked = () => {
    ask(isFirst);
    isFirst = false;
  };
  const names = ["SIGTERM", "SIGINT"] as const;
  for (const name of names) process.on(name, asked);
  return () => {
    for (const name of names) process.off(name, asked);
  };
}

/** Warnings, a line each; the rest is for those who ask for it with `onEvent`. */
function report(event: WorkerEvent): void {
  const words = wordsOf(event);
  if (words !== undefined) process.stderr.write(`baton: ${words}\n`);
}

function wordsOf(event: WorkerEvent): string | undefined {
  const of = (error: unknown) => (error instanceof Error ? error.message : String(error));
  switch (event.type) {
    case "hub_away":
      return `${of(event.error)}; trying again until it answers`;
    case "hub_back":
      return "the hub answers again";
    case "not_taken":
      return `the reply to ${event.taskId} was not taken: ${of(event.error)}`;
    case "handler_goes_on":
      return `the handler of ${event.taskId} still runs although its task is lost; its signal was aborted`;
    case "warning":
      return `${event.what}: ${of(event.error)}`;
    default:
      return undefined;
  }
}
