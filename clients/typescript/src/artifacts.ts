// The bytes of artifacts, up and down. Uploads of what can be read twice carry their SHA-256 and are repeated; downloads
// resume by `Range`. Both ways the hash of all bytes is compared.

import { BatonError } from "./baton-error.js";
import { HubUnreachable, WrongBytes } from "./errors.js";
import type { Artifact, ArtifactUploaded } from "./generated/types.js";
import * as limits from "./limits.js";
import { Backoff, LinkedAbort, pause } from "./pause.js";
import { type Hasher, Sha256 } from "./sha256.js";
import { isPassing, pieces, type Transport } from "./transport.js";

/**
 * What can be uploaded. A stream is read once, so that its upload is not repeated; a function that opens one can be
 * called again.
 */
export type UploadSource =
  | string
  | Blob
  | ArrayBuffer
  | Uint8Array<ArrayBuffer>
  | ReadableStream<Uint8Array>
  | (() => ReadableStream<Uint8Array>);

export interface UploadOptions {
  /** What the artifact is called; `artifact` by default, or the name of a `File`. */
  readonly name?: string | undefined;
  /** By default that of a `Blob`, or `application/octet-stream`. */
  readonly mediaType?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Browsers cannot stream the body of a request over HTTP/1.1. */
const CAN_STREAM_REQUESTS = !("document" in globalThis || "WorkerGlobalScope" in globalThis);

export async function upload(
  transport: Transport,
  networkId: string | undefined,
  source: UploadSource,
  options: UploadOptions,
): Promise<Artifact> {
  const opened = await openable(source);
  const given = source instanceof Blob ? source : undefined;
  const mediaType = options.mediaType ?? (typeof source === "string" ? "text/plain; charset=utf-8" : given?.type);
  const name = options.name ?? (given as { name?: string } | undefined)?.name;
  const sha256 = opened.isRepeatable
    ? await digest(opened.stream(), transport.createHasher(), options.signal)
    : undefined;
  const hash = transport.createHasher();
  const body = () => opened.blob ?? opened.stream().pipeThrough(hashing(hash));
  const answer = await transport.json<ArtifactUploaded>({
    method: "PUT",
    path: ["api", "artifacts"],
    query: { network_id: networkId, name, media_type: mediaType || undefined, sha256 },
    headers: { "content-type": "application/octet-stream" },
    body,
    repeat: opened.isRepeatable ? "always" : "unsent",
    ...(opened.isRepeatable ? {} : { retry: { tries: 1 } }),
    // As slow as the hub lets an upload be.
    waitSeconds:
      limits.TRANSFER_WAIT_SECONDS + (opened.size ?? limits.ARTIFACT_MAX_BYTES) / limits.UPLOAD_MIN_BYTES_PER_SECOND,
    signal: options.signal,
  });
  const sent = sha256 ?? hash.hex();
  if (answer.artifact.sha256 !== sent) throw new WrongBytes(sent, answer.artifact.sha256);
  return answer.artifact;
}

interface Openable {
  readonly isRepeatable: boolean;
  readonly size: number | undefined;
  /** The bytes as a body of a request that has its length. */
  readonly blob: Blob | undefined;
  stream(): ReadableStream<Uint8Array>;
}

async function openable(source: UploadSource): Promise<Openable> {
  if (source instanceof ReadableStream || typeof source === "function") {
    if (CAN_STREAM_REQUESTS) {
      const stream = typeof source === "function" ? source : () => source;
      return { isRepeatable: typeof source === "function", size: undefined, blob: undefined, stream };
    }
    return openable(await new Response(typeof source === "function" ? source() : source).blob());
  }
  const blob = source instanceof Blob ? source : new Blob([source]);
  return { isRepeatable: true, size: blob.size, blob, stream: () => blob.stream() };
}

/** The SHA-256 of a stream, in hex. */
export async function digest(
  stream: ReadableStream<Uint8Array>,
  hash: Hasher = new Sha256(),
  signal?: AbortSignal,
): Promise<string> {
  for await (const piece of pieces(stream)) {
    signal?.throwIfAborted();
    hash.update(piece);
  }
  return hash.hex();
}

function hashing(hash: Hasher): TransformStream<Uint8Array, Uint8Array<ArrayBuffer>> {
  return new TransformStream({
    transform(piece, controller) {
      hash.update(piece);
      controller.enqueue(piece as Uint8Array<ArrayBuffer>);
    },
  });
}

/** The bytes of an artifact. The stream fails with `WrongBytes` at its end if they are not those that were asked for. */
export function download(
  transport: Transport,
  networkId: string | undefined,
  sha256: string,
  signal?: AbortSignal,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const abort = new LinkedAbort(signal);
  const source = resuming(transport, networkId, sha256, abort.signal);
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      try {
        const { done, value } = await source.next();
        if (!done) return controller.enqueue(value);
        abort.unlink();
        controller.close();
      } catch (error) {
        abort.unlink();
        controller.error(error);
      }
    },
    async cancel(reason) {
      abort.abort(reason ?? new DOMException("the download was cancelled", "AbortError"));
      abort.unlink();
    },
  });
}

/** The bytes over as many connections as it takes, and the comparison of their hash at the end. */
async function* resuming(
  transport: Transport,
  networkId: string | undefined,
  sha256: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const hash = transport.createHasher();
  const backoff = new Backoff();
  let got = 0;
  for (let inVain = 0; ; ) {
    const before = got;
    try {
      for await (const piece of from(transport, networkId, sha256, got, signal)) {
        got += piece.length;
        hash.update(piece);
        yield piece;
      }
      break;
    } catch (error) {
      signal.throwIfAborted();
      inVain = got > before ? 0 : inVain + 1;
      if (got > before) backoff.reset();
      if (!isPassing(error) || inVain >= limits.DOWNLOAD_TRIES_IN_VAIN) throw error;
      const asked = error instanceof BatonError ? (error.retryAfterMillis ?? 0) : 0;
      await pause(Math.max(backoff.next(), asked), signal);
    }
  }
  const received = hash.hex();
  if (received !== sha256) throw new WrongBytes(sha256, received);
}

/** The bytes of one connection, from an offset on. */
async function* from(
  transport: Transport,
  networkId: string | undefined,
  sha256: string,
  offset: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const abort = new LinkedAbort(signal);
  const silence = () =>
    setTimeout(
      () => abort.abort(new HubUnreachable(transport.hub, "the download stands still", false)),
      limits.TRANSFER_WAIT_SECONDS * 1_000,
    );
  let timer = silence();
  try {
    const headers = { accept: "*/*", ...(offset > 0 ? { range: `bytes=${offset}-` } : {}) };
    const query = { network_id: networkId };
    const response = await transport.open(
      { method: "GET", path: ["api", "artifacts", sha256], query, headers, repeat: "always" },
      abort.signal,
    );
    // The connection broke behind the last byte.
    if (response.status === 416 && offset > 0) return;
    if (!response.ok) throw await transport.errorOf(response, abort.signal);
    if ((response.status === 206) !== offset > 0) {
      throw new BatonError("unexpected_answer", "the hub sends other bytes than were asked for", {
        status: response.status,
      });
    }
    for await (const piece of pieces(response.body)) {
      clearTimeout(timer);
      yield piece;
      timer = silence();
    }
  } catch (error) {
    throw transport.unreachable(error, abort.signal);
  } finally {
    clearTimeout(timer);
    abort.unlink();
  }
}

/** All bytes of a stream, if they are not too many for memory. */
export async function gather(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  maxBytes = limits.ARTIFACT_IN_MEMORY_MAX_BYTES,
): Promise<Uint8Array<ArrayBuffer>> {
  const gathered: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const piece of pieces(stream)) {
    length += piece.length;
    if (length > maxBytes) throw new RangeError(`the artifact has more than ${maxBytes} bytes; read it as a stream`);
    gathered.push(piece);
  }
  return new Uint8Array(await new Blob(gathered).arrayBuffer());
}
