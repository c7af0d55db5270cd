// Tools for the Claude Agent SDK (`@anthropic-ai/claude-agent-sdk`), as an MCP server within the process:
// `query({ prompt, options: { mcpServers: { baton: batonServer(client) } } })`.

import { createSdkMcpServer, type McpSdkServerConfigWithInstance, tool } from "@anthropic-ai/claude-agent-sdk";
import { z } from "zod";
import type { Client } from "../client.js";
import * as delegation from "./delegation.js";

/** An answer in the form of MCP; an error is one that the model can read and act upon. */
async function answered(run: () => Promise<string>) {
  try {
    return { content: [{ type: "text" as const, text: await run() }] };
  } catch (error) {
    return {
      content: [{ type: "text" as const, text: error instanceof Error ? error.message : String(error) }],
      isError: true,
    };
  }
}

/** A server with which a model gives work to other agents of the hub. */
export function batonServer(client: Client, options: delegation.ToolOptions = {}): McpSdkServerConfigWithInstance {
  const sendTask = tool(
    "send_task",
    delegation.SEND_TASK,
    { agent: z.string().describe("The agent's alias"), task: z.string().describe("What is to be done") },
    ({ agent, task }) => answered(() => delegation.sendTask(client, agent, task, options)),
  );
  const answerTask = tool(
    "answer_task",
    delegation.ANSWER_TASK,
    { task_id: z.string().describe("The task's id"), answer: z.string().describe("The answer") },
    ({ task_id, answer }) => answered(() => delegation.answerTask(client, task_id, answer, options)),
  );
  const listAgents = tool("list_agents", delegation.LIST_AGENTS, {}, () =>
    answered(() => delegation.listAgents(client)),
  );
  // Three small tools: they are worth their place in every prompt.
  const tools = [sendTask, answerTask, listAgents];
  return createSdkMcpServer({ name: "baton", version: "0.1.0", tools, alwaysLoad: true });
}
