// Artifacts as files. A download gets its name only when its hash is right; an upload is read twice, once for its hash.

import { randomBytes } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { link, rename, rm, stat } from "node:fs/promises";
import { basename } from "node:path";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { type Client, SettingsError, TaskFile, type UploadOptions, type wire } from "../index.js";

/** Uploads a file; it is called by its own name unless another is given. */
export async function uploadFile(client: Client, path: string, options: UploadOptions = {}): Promise<wire.Artifact> {
  const found = await stat(path);
  if (!found.isFile()) throw new SettingsError(`${path} is not a file`);
  const opened = () => Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>;
  return client.upload(opened, { name: basename(path), ...options });
}

export interface SaveOptions {
  /** Replace a file that is there. */
  readonly force?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Downloads an artifact, or a file of a task, to a path. A file that is there is replaced only with `force`. */
export async function saveFile(
  source: TaskFile | { readonly client: Client; readonly sha256: string },
  path: string,
  options: SaveOptions = {},
): Promise<void> {
  // Before the download, not only after it.
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  if (isThere && !options.force) throw new SettingsError(`${path} is there already; pass \`force\` to replace it`);
  const bytes =
    source instanceof TaskFile
      ? await source.stream()
      : await source.client.download(source.sha256, { signal: options.signal });
  const part = `${path}.${randomBytes(6).toString("hex")}.part`;
  try {
    const write: Writable = createWriteStream(part, { flags: "wx", mode: 0o600, flush: true });
    await pipeline(
      Readable.fromWeb(bytes as NodeReadableStream),
      write,
      options.signal ? { signal: options.signal } : {},
    );
    // A link fails where a rename would replace.
    await (options.force ? rename(part, path) : link(part, path));
  } finally {
    await rm(part, { force: true });
  }
}
