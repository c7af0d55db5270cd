// The profile file of `baton login`, `~/.baton/config.toml`: which hub, as whom and in which network. It is read as the
// command line reads it; a file that others may read is not used.

import { type FileHandle, open } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { SettingsError } from "../index.js";

/** One way to a hub. */
export interface Profile {
  readonly hub: string;
  readonly token?: string | undefined;
  /** The network's id. */
  readonly network?: string | undefined;
  /** A PEM file with the hub's private CA. */
  readonly ca?: string | undefined;
}

const FILE_MAX_BYTES = 1 << 20;

/** Where profiles are kept. */
export function profilePath(environment: NodeJS.ProcessEnv = process.env): string {
  return join(environment["HOME"] || homedir(), ".baton", "config.toml");
}

/** The profile of a name, if there is one. */
export async function readProfile(name: string, path = profilePath()): Promise<Profile | undefined> {
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(name)) {
    throw new SettingsError("a profile's name is 1 to 64 letters, digits, '.', '_' and '-'");
  }
  const text = await privateText(path);
  const found = text === undefined ? undefined : tables(text, path).get(name);
  if (found === undefined) return undefined;
  const { hub } = found;
  if (hub === undefined) throw new SettingsError(`the profile ${name} in ${path} names no hub; run \`baton login\``);
  return { hub, token: found["token"], network: found["network"], ca: found["ca"] };
}

async function privateText(path: string): Promise<string | undefined> {
  let file: FileHandle;
  try {
    file = await open(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new SettingsError(`cannot read ${path}: ${(error as Error).message}`, error);
  }
  try {
    const found = await file.stat();
    const isOpen = process.platform !== "win32" && (found.mode & 0o077) !== 0;
    if (isOpen) throw new SettingsError(`${path} holds tokens and others may read it; run \`chmod 600 ${path}\``);
    if (found.size > FILE_MAX_BYTES) throw new SettingsError(`${path} is larger than a file of profiles may be`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

/**
 * The tables `[profile.NAME]` with their texts. The command line writes nothing but such tables; other TOML that a person
 * may have added is refused rather than misread. No line is quoted in an error: it may hold a token.
 */
function tables(text: string, path: string): Map<string, Record<string, string>> {
  const found = new Map<string, Record<string, string>>();
  let table: Record<string, string> | undefined;
  text.split("\n").forEach((line, index) => {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#")) return;
    const head = /^\[profile\.(?:([A-Za-z0-9_-]+)|"([^"\\]+)"|'([^']+)')\]\s*(?:#.*)?$/.exec(trimmed);
    const pair = /^([A-Za-z0-9_-]+)\s*=\s*(?:("(?:[^"\\]|\\.)*")|'([^']*)')\s*(?:#.*)?$/.exec(trimmed);
    const key = pair?.[1];
    if (head !== null) {
      table = {};
      found.set(head[1] ?? head[2] ?? head[3] ?? "", table);
    } else if (table !== undefined && key !== undefined) {
      table[key] = pair?.[2] === undefined ? (pair?.[3] ?? "") : unescaped(pair[2], path, index);
    } else if (trimmed !== "[profile]") {
      throw new SettingsError(`line ${index + 1} of ${path} is not a profile's; mend it, or run \`baton login\` again`);
    }
  });
  return found;
}

/** A basic string of TOML; those escapes that it shares with JSON are all that the command line writes. */
function unescaped(quoted: string, path: string, index: number): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw new SettingsError(`line ${index + 1} of ${path} has a text that cannot be read`);
  }
}
