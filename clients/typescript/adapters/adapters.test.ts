// The adapters with the real packages: the OpenAI Agents SDK with a scripted model, and the Claude Agent SDK's MCP server with an
// MCP client, as the model's side of it calls it. (The model of the Claude Agent SDK runs in a binary of its own.)

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client as McpClient } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Agent, type Model, type ModelRequest, type ModelResponse, Runner, Usage } from "@openai/agents";
import { agent, type Worker } from "baton-hub-client";
import { batonServer } from "baton-hub-client/claude-agent-sdk";
import { batonTools } from "baton-hub-client/openai-agents";
import { TestHub } from "./hub.js";

let hub: TestHub;
let worker: Worker;
before(async () => {
  hub = await TestHub.start();
  worker = agent(
    "coder",
    async (task) => {
      if (task.text === "fail") throw new Error("no such page");
      return task.text === "ask"
        ? `painted ${await task.ask("Which colour?", { choices: ["red", "blue"] })}`
        : `fixed ${task.text}`;
    },
    { client: await hub.node("coder"), description: "Writes code" },
  );
});
after(async () => {
  await worker.stop();
  await hub.stop();
});

/** A model that calls what it is told to call, and then says what it has seen. */
class ScriptedModel implements Model {
  readonly seen: string[] = [];
  #turn = 0;

  constructor(readonly script: (seen: readonly string[]) => { name: string; arguments: object }[]) {}

  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    const items = Array.isArray(request.input) ? request.input : [];
    const results = items.flatMap((item) =>
      item.type === "function_call_result" ? [JSON.stringify(item.output)] : [],
    );
    this.seen.splice(0, this.seen.length, ...results);
    const call = this.script(this.seen)[this.#turn];
    this.#turn += 1;
    const said = { type: "message" as const, role: "assistant" as const, status: "completed" as const };
    const output: ModelResponse["output"] =
      call === undefined
        ? [{ ...said, content: [{ type: "output_text", text: "that is all" }] }]
        : [
            {
              type: "function_call",
              callId: `call-${this.#turn}`,
              name: call.name,
              arguments: JSON.stringify(call.arguments),
              status: "completed",
            },
          ];
    return { usage: new Usage(), output };
  }

  // biome-ignore lint/correctness/useYield: the runner is not asked to stream
  async *getStreamedResponse(): AsyncGenerator<never> {
    throw new Error("not streamed");
  }
}

test("a model of the OpenAI Agents SDK gives tasks to agents, and answers their questions", async () => {
  const taskId = (seen: readonly string[]) => /about task ([0-9a-f-]{36})/.exec(seen[1] ?? "")?.[1] ?? "";
  const model = new ScriptedModel((seen) => [
    { name: "send_task", arguments: { agent: "coder", task: "the login page" } },
    { name: "send_task", arguments: { agent: "coder", task: "ask" } },
    { name: "answer_task", arguments: { task_id: taskId(seen), answer: "blue" } },
    { name: "list_agents", arguments: {} },
    { name: "send_task", arguments: { agent: "coder", task: "fail" } },
    { name: "send_task", arguments: { agent: "nobody", task: "x" } },
  ]);
  const planner = new Agent({
    name: "Planner",
    instructions: "Delegate.",
    model,
    tools: batonTools(hub.user(), { waitSeconds: 30 }),
  });
  const result = await new Runner({ tracingDisabled: true }).run(planner, "Have it fixed.");
  assert.equal(result.finalOutput, "that is all");
  const [fixed, asked, painted, listed, failed, unknown] = model.seen;
  assert.match(fixed ?? "", /fixed the login page/);
  assert.match(asked ?? "", /Which colour\? Choose one of: red, blue/);
  assert.match(painted ?? "", /painted blue/);
  assert.match(listed ?? "", /coder \(\w+\): Writes code/);
  assert.match(failed ?? "", /is failed: no such page/);
  assert.ok(unknown !== undefined, "an error of a tool is something the model sees");
});

test("the Claude Agent SDK's server has the same tools, and their errors can be read", async () => {
  const server = batonServer(hub.user(), { waitSeconds: 30 });
  const client = new McpClient({ name: "test", version: "1.0.0" });
  const [mine, its] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.instance.connect(its), client.connect(mine)]);
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name).sort(), ["answer_task", "list_agents", "send_task"]);
  const call = async (name: string, given: Record<string, unknown>) => {
    const { content, isError } = (await client.callTool({ name, arguments: given })) as {
      content: { text: string }[];
      isError?: boolean;
    };
    return { text: content[0]?.text ?? "", isError: isError ?? false };
  };
  assert.deepEqual(await call("send_task", { agent: "coder", task: "the login page" }), {
    text: "fixed the login page",
    isError: false,
  });
  const asked = await call("send_task", { agent: "coder", task: "ask" });
  const task_id = /about task ([0-9a-f-]{36})/.exec(asked.text)?.[1];
  assert.deepEqual(await call("answer_task", { task_id, answer: "red" }), { text: "painted red", isError: false });
  assert.match((await call("list_agents", {})).text, /coder \(\w+\): Writes code/);
  const unknown = await call("send_task", { agent: "nobody", task: "x" });
  assert.ok(unknown.isError);
  assert.match(unknown.text, /alias_not_found/);
  await client.close();
});
