// A model for the Claude Agent SDK: a server on loopback that answers as the Messages API does, from a script. The SDK's own
// program calls it instead of the real one (ANTHROPIC_BASE_URL).

import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the model says next: a call of a tool, or its last words. */
export type Turn = { readonly tool: string; readonly input: object } | { readonly text: string };

interface Asked {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly { readonly content: string | readonly { type: string; content?: unknown }[] }[];
}

export class ScriptedClaude {
  /** What the tools answered, as the model sees it. */
  results: string[] = [];

  private constructor(
    readonly server: Server,
    readonly url: string,
  ) {}

  /** The script is given what the tools have answered so far. */
  static async start(script: (results: readonly string[]) => Turn): Promise<ScriptedClaude> {
    const server = createServer(async (request, response) => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece as Buffer);
      const isAsked = request.url?.startsWith("/v1/messages") && !request.url.includes("count_tokens");
      if (!isAsked) return void response.writeHead(404).end("{}");
      const asked = JSON.parse(Buffer.concat(pieces).toString()) as Asked;
      claude.results = asked.messages.flatMap(({ content }) =>
        typeof content === "string"
          ? []
          : content.flatMap((part) => (part.type === "tool_result" ? [JSON.stringify(part.content)] : [])),
      );
      answer(response, asked, script(claude.results), claude.results.length);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const claude = new ScriptedClaude(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return claude;
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, "close");
  }
}

function answer(response: ServerResponse, asked: Asked, turn: Turn, count: number): void {
  const isCall = "tool" in turn;
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = {
    id: `msg_${count}`,
    type: "message",
    role: "assistant",
    model: asked.model,
    stop_sequence: null,
    usage,
  };
  const block = isCall ? { type: "tool_use", id: `toolu_${count}`, name: turn.tool } : { type: "text" };
  const stop_reason = isCall ? "tool_use" : "end_turn";
  if (!asked.stream) {
    const content = [isCall ? { ...block, input: turn.input } : { ...block, text: turn.text }];
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ ...message, content, stop_reason }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (type: string, data: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  send("message_start", { message: { ...message, content: [], stop_reason: null } });
  send("content_block_start", { index: 0, content_block: isCall ? { ...block, input: {} } : { ...block, text: "" } });
  const delta = isCall
    ? { type: "input_json_delta", partial_json: JSON.stringify(turn.input) }
    : { type: "text_delta", text: turn.text };
  send("content_block_delta", { index: 0, delta });
  send("content_block_stop", { index: 0 });
  send("message_delta", { delta: { stop_reason, stop_sequence: null }, usage });
  send("message_stop", {});
  response.end();
}
