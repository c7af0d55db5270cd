// `fetch` for a hub with a private CA. Node's own takes no certificates, so that these calls go through `node:https`: one
// request and its answer, both streamed. Redirects are not followed, which is all that the client asks of it.

import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";

/** A `fetch` that believes only these certificates. */
export function fetchWithCa(ca: string): typeof fetch {
  const agent = new Agent({ ca, keepAlive: true });
  return async (input, init) => {
    const asked = new Request(input, init);
    const answer = await send(asked, agent);
    return answerOf(answer, asked.signal);
  };
}

function send(asked: Request, agent: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { method, signal } = asked;
    const headers = Object.fromEntries(asked.headers);
    const sent = request(asked.url, { method, headers, agent, signal });
    sent.once("response", resolve);
    sent.once("error", reject);
    if (asked.body === null) {
      sent.end();
      return;
    }
    // An answer that comes before the body was read, such as a refusal, counts; then the rest of the body does not.
    pipeline(Readable.fromWeb(asked.body as NodeReadableStream), sent).catch(reject);
  });
}

function answerOf(answer: IncomingMessage, signal: AbortSignal): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) headers.append(name, one);
  }
  const status = answer.statusCode ?? 0;
  const hasBody = ![101, 204, 205, 304].includes(status);
  if (!hasBody) answer.resume();
  const abort = () => answer.destroy(signal.reason instanceof Error ? signal.reason : undefined);
  signal.addEventListener("abort", abort, { once: true });
  answer.once("close", () => signal.removeEventListener("abort", abort));
  return new Response(hasBody ? (Readable.toWeb(answer) as ReadableStream<Uint8Array<ArrayBuffer>>) : null, {
    status,
    headers,
  });
}
