// What the adapters' tools do, whatever framework calls them: give work to another agent, and tell a model in words what
// became of it.

import type { Client } from "../client.js";
import type { SendOptions } from "../client-options.js";
import type { TaskMessage } from "../generated/types.js";

/** How the tools of an adapter send. */
export interface ToolOptions {
  /** How long a tool waits for the other agent; 300 by default. After that the tool returns that the task is still open. */
  readonly waitSeconds?: number | undefined;
  /** What every task is sent with, such as `parentTaskId`. */
  readonly send?: Omit<SendOptions, "waitSeconds" | "idempotencyKey"> | undefined;
}

export const SEND_TASK =
  "Give a task to another agent and wait for its result. The task's text must say everything the agent needs to know.";
export const ANSWER_TASK =
  "Answer the question that another agent asked about a task it was given, and wait for the result.";
export const LIST_AGENTS =
  "List the agents that can be given tasks: their alias, whether they are there, and what they do.";

const WAIT_SECONDS = 300;

export async function sendTask(client: Client, agent: string, task: string, options: ToolOptions): Promise<string> {
  const sent = await client.send(agent, task, { ...options.send, waitSeconds: options.waitSeconds ?? WAIT_SECONDS });
  return words(sent.task, sent.task.messages);
}

export async function answerTask(client: Client, taskId: string, text: string, options: ToolOptions): Promise<string> {
  const { signal } = options.send ?? {};
  await client.answer(taskId, text, signal ? { signal } : {});
  const shown = await client.wait(taskId, { timeoutSeconds: options.waitSeconds ?? WAIT_SECONDS, signal });
  return words(shown.task, shown.messages ?? []);
}

export async function listAgents(client: Client): Promise<string> {
  const lines: string[] = [];
  for await (const { alias, status, description } of client.agents()) {
    lines.push(`${alias} (${status})${description ? `: ${description}` : ""}`);
  }
  return lines.join("\n") || "There are no agents.";
}

function words(
  task: { readonly task_id: string; readonly status: string; readonly result?: string | null },
  messages: readonly TaskMessage[],
): string {
  if (task.status === "replied") return task.result ?? "";
  const question = messages.findLast((message) => message.kind === "question");
  if (task.status === "waiting_input" && question !== undefined) {
    const choices = question.options?.length ? ` Choose one of: ${question.options.join(", ")}.` : "";
    return `The agent asks about task ${task.task_id}: ${question.content}${choices}`;
  }
  const why = task.result ? `: ${task.result}` : "";
  return `Task ${task.task_id} is ${task.status}${why}`;
}
