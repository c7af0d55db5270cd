// Servers that stand in for a hub, or between it and a client: what a hub cannot be made to do on demand.

import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

type Answer = (request: IncomingMessage & { text: string }, response: ServerResponse, count: number) => void;

class LoopbackServer {
  readonly #sockets = new Set<Socket>();

  protected constructor(readonly server: Server) {
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Breaks every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.server.close();
    this.cut();
    await once(this.server, "close");
  }
}

/** A server that answers as a test says. */
export class Stub extends LoopbackServer {
  /** When each call came. */
  readonly calls: { method: string; url: string; text: string; headers: IncomingMessage["headers"]; at: number }[] = [];

  static async start(answer: Answer): Promise<Stub> {
    const stub: Stub = new Stub(
      createServer(async (request, response) => {
        const text = (await body(request)).toString();
        const { method = "", url = "", headers } = request;
        stub.calls.push({ method, url, text, headers, at: Date.now() });
        answer(Object.assign(request, { text }), response, stub.calls.length);
      }),
    );
    stub.server.listen(0, "127.0.0.1");
    await once(stub.server, "listening");
    return stub;
  }
}

export function json(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
}

export interface ProxyHooks {
  /** Called with an answer of the hub before it is passed on; false keeps it back and breaks the connection. */
  answered?: ((method: string, path: string) => Promise<boolean> | boolean) | undefined;
  /** So many bytes of an answer are passed on before the connection breaks. */
  cutAfter?: ((method: string, path: string) => number | undefined) | undefined;
}

/** A server between a client and a hub. */
export class HubProxy extends LoopbackServer {
  hooks: ProxyHooks = {};
  /** Turns every connection away. */
  isBlocked = false;
  readonly calls: string[] = [];

  static async start(hub: string): Promise<HubProxy> {
    const proxy: HubProxy = new HubProxy(createServer((asked, answer) => void proxy.#pass(hub, asked, answer)));
    proxy.server.listen(0, "127.0.0.1");
    await once(proxy.server, "listening");
    return proxy;
  }

  async #pass(hub: string, asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { method = "GET", url = "/" } = asked;
    if (this.isBlocked) return void asked.socket.destroy();
    this.calls.push(`${method} ${url}`);
    const headers = { ...asked.headers, host: new URL(hub).host };
    const passed = request(`${hub}${url}`, { method, headers });
    passed.on("error", () => asked.socket.destroy());
    asked.pipe(passed);
    passed.on("response", (response) => {
      this.#back(method, url, response, answer).catch(() => asked.socket.destroy());
    });
  }

  async #back(method: string, url: string, response: IncomingMessage, answer: ServerResponse): Promise<void> {
    const limit = this.hooks.cutAfter?.(method, url);
    // A stream has no end to wait for.
    const isStream = response.headers["content-type"]?.startsWith("text/event-stream");
    if (this.hooks.answered !== undefined && !isStream) {
      const whole = await body(response);
      if (!(await this.hooks.answered?.(method, url))) return void answer.socket?.destroy();
      answer.writeHead(response.statusCode ?? 500, response.headers).end(whole);
      return;
    }
    answer.writeHead(response.statusCode ?? 500, response.headers);
    answer.flushHeaders();
    let sent = 0;
    response.on("data", (piece: Buffer) => {
      const left = limit === undefined ? piece.length : Math.max(0, limit - sent);
      sent += piece.length;
      answer.write(piece.subarray(0, left));
      if (limit !== undefined && sent >= limit) answer.socket?.end();
    });
    response.on("end", () => answer.end());
    response.on("error", () => answer.socket?.destroy());
    answer.on("close", () => response.destroy());
  }
}

async function body(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
