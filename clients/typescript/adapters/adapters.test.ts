// The adapters with the real packages and scripted models: one in the process for the OpenAI Agents SDK, one behind HTTP for the
// Claude Agent SDK, whose own program talks to it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { Agent, type Model, type ModelRequest, type ModelResponse, Runner, Usage } from "@openai/agents";
import { agent, type Worker } from "baton-hub-client";
import { batonServer } from "baton-hub-client/claude-agent-sdk";
import { batonTools } from "baton-hub-client/openai-agents";
import { TestHub } from "./hub.js";
import { ScriptedClaude, type Turn } from "./scripted-claude.js";

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

/** A model that calls the given tools and then prints the results. */
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

test("a model of the Claude Agent SDK gives tasks to agents, and answers their questions", async () => {
  const taskId = (seen: readonly string[]) => /about task ([0-9a-f-]{36})/.exec(seen[1] ?? "")?.[1] ?? "";
  const turns = (seen: readonly string[]): Turn[] => [
    { tool: "mcp__baton__send_task", input: { agent: "coder", task: "the login page" } },
    { tool: "mcp__baton__send_task", input: { agent: "coder", task: "ask" } },
    { tool: "mcp__baton__answer_task", input: { task_id: taskId(seen), answer: "red" } },
    { tool: "mcp__baton__list_agents", input: {} },
    { tool: "mcp__baton__send_task", input: { agent: "nobody", task: "x" } },
  ];
  const claude = await ScriptedClaude.start((seen) => turns(seen)[seen.length] ?? { text: "that is all" });
  const env = {
    PATH: process.env["PATH"],
    HOME: hub.folder,
    ANTHROPIC_BASE_URL: claude.url,
    ANTHROPIC_API_KEY: "none",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };
  const baton = batonServer(hub.user(), { waitSeconds: 30 });
  const options = {
    mcpServers: { baton },
    allowedTools: ["mcp__baton"],
    env,
    cwd: hub.folder,
    settingSources: [],
    maxTurns: 10,
  };
  let last: string | undefined;
  for await (const message of query({ prompt: "Have it fixed.", options })) {
    if (message.type === "result") last = message.subtype === "success" ? message.result : message.subtype;
  }
  assert.equal(last, "that is all");
  const [fixed, asked, painted, listed, unknown] = claude.results;
  assert.match(fixed ?? "", /fixed the login page/);
  assert.match(asked ?? "", /Which colour\? Choose one of: red, blue/);
  assert.match(painted ?? "", /painted red/);
  assert.match(listed ?? "", /coder \(\w+\): Writes code/);
  assert.match(unknown ?? "", /alias_not_found/);
  await claude.close();
});
