// One call to the hub: sent, bounded in time and size, read, and sent again where that is safe. Which calls are is decided
// by whoever makes them. Redirects are never followed: a token goes to the hub it is for and nowhere else.

import { BatonError } from "./baton-error.js";
import { errorOfAnswer, HubUnreachable, objectOf, SettingsError } from "./errors.js";
import {
  ANSWER_MAX_BYTES,
  ANSWER_SECONDS,
  BACKOFF_FIRST_MILLIS,
  BACKOFF_MAX_MILLIS,
  RETRY_TOTAL_SECONDS,
  RETRY_TRIES,
} from "./limits.js";
import { Backoff, LinkedAbort, pause } from "./pause.js";
import { type Hasher, Sha256 } from "./sha256.js";
import { type AnyOpenTelemetry, traceHeaders } from "./trace.js";

/** How often, and for how long, a call is tried. */
export interface RetryOptions {
  /** Tries in all; 8 by default, 1 for none but the first. */
  readonly tries?: number | undefined;
  /** Time for all tries together, beside what the call itself waits; 30 s by default. */
  readonly totalSeconds?: number | undefined;
  /** The first pause; it doubles with each try. */
  readonly firstMillis?: number | undefined;
  /** The longest pause. */
  readonly maxMillis?: number | undefined;
}

/** Where the hub is, and how to call it. */
export interface TransportOptions {
  /** The hub's address, such as `https://hub.example.org`. */
  readonly hub: string | URL;
  readonly token?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
  readonly retry?: RetryOptions | undefined;
  /** Longest wait for an answer, beside what the call itself waits; 30 s by default. */
  readonly answerSeconds?: number | undefined;
  /** The module `@opentelemetry/api`. */
  readonly openTelemetry?: AnyOpenTelemetry | undefined;
  /** A SHA-256 that is quicker than the one of this library, such as Node's own. */
  readonly createHasher?: (() => Hasher) | undefined;
}

/**
 * When a call may be sent again after an error that leaves open whether it was done: `always` if it changes nothing, or
 * if the hub knows it again. A call that the hub cannot have seen, or has turned away undone, is always sent again.
 */
export type Repeat = "always" | "unsent";

export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string | number | boolean | null | undefined>> | undefined;
  readonly json?: unknown;
  /** A body that is not JSON, made again for each try. */
  readonly body?: (() => BodyInit) | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly repeat: Repeat;
  /** How long the call asks the hub to wait. */
  readonly waitSeconds?: number | undefined;
  readonly retry?: RetryOptions | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The hub turned the call away before it did anything. */
const UNDONE = new Set(["busy", "starting", "shutting_down", "storage_unavailable"]);

export class Transport {
  readonly hub: string;
  readonly openTelemetry: AnyOpenTelemetry | undefined;
  readonly createHasher: () => Hasher;
  readonly #base: URL;
  readonly #token: string | undefined;
  readonly #fetch: typeof fetch;
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#base = hubAddress(options.hub);
    this.hub = this.#base.href.replace(/\/+$/, "");
    this.#token = options.token;
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.openTelemetry = options.openTelemetry;
    this.createHasher = options.createHasher ?? (() => new Sha256());
    const { token: _, ...others } = options;
    this.#options = others;
  }

  /** The same hub, called with another token. */
  withToken(token: string): Transport {
    return new Transport({ ...this.#options, token });
  }

  /** Whether the token is an agent's. */
  get isNode(): boolean {
    return this.#token?.startsWith("ntok_") ?? false;
  }

  /** Calls the hub and returns the JSON object that it answers. */
  async json<T>(call: Call): Promise<T> {
    const started = Date.now();
    const retry = { ...this.#options.retry, ...call.retry };
    const backoff = new Backoff(retry.firstMillis ?? BACKOFF_FIRST_MILLIS, retry.maxMillis ?? BACKOFF_MAX_MILLIS);
    const total = ((retry.totalSeconds ?? RETRY_TOTAL_SECONDS) + (call.waitSeconds ?? 0)) * 1_000;
    for (let tries = 1; ; tries += 1) {
      try {
        return (await this.#once(call)) as T;
      } catch (error) {
        const wait = Math.max(backoff.next(), error instanceof BatonError ? (error.retryAfterMillis ?? 0) : 0);
        const isLast = tries >= (retry.tries ?? RETRY_TRIES) || Date.now() - started + wait > total;
        if (isLast || !mayRepeat(error, call.repeat)) throw error;
        await pause(wait, call.signal);
      }
    }
  }

  async #once(call: Call): Promise<unknown> {
    const abort = new LinkedAbort(call.signal);
    const seconds = (this.#options.answerSeconds ?? ANSWER_SECONDS) + (call.waitSeconds ?? 0);
    const timer = setTimeout(
      () => abort.abort(new HubUnreachable(this.hub, "no answer in time", false)),
      seconds * 1_000,
    );
    try {
      const response = await this.open(call, abort.signal);
      if (!response.ok) throw await this.errorOf(response, abort.signal);
      const body = objectOf(await this.#text(response, abort.signal));
      if (body !== undefined) return body;
      throw new BatonError("unexpected_answer", `${this.hub} does not answer as a Baton hub`, {
        status: response.status,
      });
    } finally {
      clearTimeout(timer);
      abort.unlink();
    }
  }

  /** Sends a call once and returns its answer's head; the body is the caller's to read. */
  async open(call: Call, signal: AbortSignal): Promise<Response> {
    signal.throwIfAborted();
    const headers: Record<string, string> = {
      accept: "application/json",
      ...traceHeaders(this.openTelemetry),
      ...call.headers,
    };
    if (this.#token !== undefined) headers["authorization"] = `Bearer ${this.#token}`;
    if (call.json !== undefined) headers["content-type"] = "application/json";
    const body = call.body?.() ?? (call.json === undefined ? undefined : JSON.stringify(call.json));
    const init: RequestInit & { duplex?: "half" } = {
      method: call.method,
      headers,
      signal,
      redirect: "manual",
      cache: "no-store",
      credentials: "omit",
    };
    if (body !== undefined) init.body = body;
    if (body instanceof ReadableStream) init.duplex = "half";
    const response = await this.#fetch(this.#url(call), init).catch((error: unknown) => {
      throw this.unreachable(error, signal);
    });
    const isRedirect = response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400);
    if (!isRedirect || response.status === 304) return response;
    await response.body?.cancel();
    throw new BatonError(`http_${response.status}`, `${this.hub} redirects, which is not followed`, {
      status: response.status,
    });
  }

  /** The error of an answer that is no success. */
  async errorOf(response: Response, signal: AbortSignal): Promise<BatonError> {
    return errorOfAnswer(response.status, await this.#text(response, signal), response.headers.get("retry-after"));
  }

  /** The error of a connection that was not made or broke; the signal's reason if that ended it. */
  unreachable(error: unknown, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason;
    if (error instanceof BatonError) return error;
    const { words, code } = deepest(error);
    return new HubUnreachable(this.hub, words, UNSENT_CODES.has(code), error);
  }

  async #text(response: Response, signal: AbortSignal): Promise<string> {
    const decoder = new TextDecoder();
    let text = "";
    let length = 0;
    try {
      for await (const piece of pieces(response.body)) {
        length += piece.length;
        if (length > ANSWER_MAX_BYTES)
          throw new BatonError("unexpected_answer", `the answer of ${this.hub} does not end`);
        text += decoder.decode(piece, { stream: true });
      }
    } catch (error) {
      throw this.unreachable(error, signal);
    }
    return text + decoder.decode();
  }

  #url(call: Call): URL {
    const url = new URL(this.#base);
    // Each segment is escaped, so that no id leads out of its place.
    const path = call.path.map((segment) => encodeURIComponent(segment)).join("/");
    url.pathname = `${url.pathname.replace(/\/+$/, "")}/${path}`;
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
    }
    return url;
  }
}

/** The pieces of a stream, if there is one. (Not every browser can iterate a stream itself.) */
export async function* pieces(
  stream: ReadableStream<Uint8Array> | null,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const reader = stream?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value as Uint8Array<ArrayBuffer>;
    }
  } finally {
    // Nobody reads on: the connection is given up. A stream that broke by itself has nothing to cancel.
    await reader.cancel().catch(() => undefined);
  }
}

/** Whether the same call may be answered later: the hub was away, or had enough for the moment. */
export function isPassing(error: unknown): boolean {
  if (error instanceof HubUnreachable) return true;
  if (!(error instanceof BatonError)) return false;
  // What is not in the hub's form comes from something before it, such as a proxy while the hub restarts.
  const isHubs = error.code !== "unexpected_answer" && !error.code.startsWith("http_");
  return error.status === 429 || error.status >= 500 || !isHubs;
}

function mayRepeat(error: unknown, repeat: Repeat): boolean {
  if (!isPassing(error) || !(error instanceof BatonError)) return false;
  if (error instanceof HubUnreachable) return error.isUnsent || repeat === "always";
  if (error.status === 429 || UNDONE.has(error.code)) return true;
  return repeat === "always" && error.status >= 500 && error.code !== "database_damaged";
}

/** What Node calls a connection that never stood. A browser does not say. */
const UNSENT_CODES = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** `fetch failed` says nothing; the cause at the bottom does. */
function deepest(error: unknown): { words: string; code: string } {
  let found = error;
  for (let depth = 0; depth < 8 && found instanceof Error && found.cause instanceof Error; depth += 1)
    found = found.cause;
  if (found instanceof AggregateError) found = found.errors[0] ?? found;
  const code = String((found as { code?: unknown } | null)?.code ?? "");
  const words = found instanceof Error ? found.message : String(found);
  return { words: words || code || "the connection broke", code };
}

/** The address of a hub, if it can be one. */
export function hubAddress(hub: string | URL): URL {
  const rule = "give the hub's address, such as http://127.0.0.1:9200 or https://hub.example.org";
  const text = String(hub).trim();
  if (!URL.canParse(text)) throw new SettingsError(rule);
  const url = new URL(text);
  const isPlain = url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  if (!/^https?:$/.test(url.protocol) || !isPlain) throw new SettingsError(rule);
  return url;
}
