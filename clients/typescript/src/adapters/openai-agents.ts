// Tools for the OpenAI Agents SDK (`@openai/agents`): `new Agent({ tools: batonTools(client) })`.

import { type Tool, tool } from "@openai/agents";
import type { Client } from "../client.js";
import * as delegation from "./delegation.js";

const text = (description: string) => ({ type: "string" as const, description });

/** The parameters of a tool: texts, all of them needed. */
function parameters<Name extends string>(properties: Record<Name, { type: "string"; description: string }>) {
  const required = Object.keys(properties) as Name[];
  return { type: "object" as const, properties, required, additionalProperties: false as const };
}

/** Tools with which a model gives work to other agents of the hub. */
export function batonTools(client: Client, options: delegation.ToolOptions = {}): Tool[] {
  const sendTask = tool({
    name: "send_task",
    description: delegation.SEND_TASK,
    parameters: parameters({ agent: text("The agent's alias"), task: text("What is to be done") }),
    execute: (given) => {
      const { agent, task } = given as { agent: string; task: string };
      return delegation.sendTask(client, agent, task, options);
    },
  });
  const answerTask = tool({
    name: "answer_task",
    description: delegation.ANSWER_TASK,
    parameters: parameters({ task_id: text("The task's id"), answer: text("The answer") }),
    execute: (given) => {
      const { task_id, answer } = given as { task_id: string; answer: string };
      return delegation.answerTask(client, task_id, answer, options);
    },
  });
  const listAgents = tool({
    name: "list_agents",
    description: delegation.LIST_AGENTS,
    parameters: parameters({}),
    execute: () => delegation.listAgents(client),
  });
  return [sendTask, answerTask, listAgents];
}
