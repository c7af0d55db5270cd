// A client from arguments, the environment and a profile, in this order, as the `baton` command line does it. A profile's
// token is sent to that profile's hub and to no other.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { Client, type ClientOptions, type Hasher, type OpenTelemetry, SettingsError } from "../index.js";
import { hubAddress } from "../transport.js";
import { fetchWithCa } from "./ca-fetch.js";
import { profilePath, readProfile } from "./profile.js";

const LOCAL_HUB = "http://127.0.0.1:9200";

export interface ConnectOptions extends Partial<ClientOptions> {
  /** The profile's name; `default` by default. */
  readonly profile?: string | undefined;
  /** Believe only the certificates in this PEM file. */
  readonly ca?: string | undefined;
  readonly environment?: NodeJS.ProcessEnv | undefined;
}

/** A client of the hub that the arguments, the environment or the profile name. Nothing is sent yet. */
export async function connect(options: ConnectOptions = {}): Promise<Client> {
  const environment = options.environment ?? process.env;
  const said = (value: string | undefined) => value?.trim() || undefined;
  const name = said(options.profile) ?? said(environment["BATON_PROFILE"]) ?? "default";
  const profile = await readProfile(name, profilePath(environment));
  const hub = said(options.hub?.toString()) ?? said(environment["BATON_HUB"]) ?? profile?.hub ?? LOCAL_HUB;
  hubAddress(hub);
  // What a profile holds is for its own hub.
  const own = profile !== undefined && sameHub(profile.hub, hub) ? profile : undefined;
  const named = said(options.token) ?? said(environment["BATON_TOKEN"]);
  const token = named ?? own?.token;
  if (token === undefined)
    throw new SettingsError(`no token for ${hub}; run \`baton login --hub ${hub}\`, or set BATON_TOKEN`);
  if (!/^[un]tok_/.test(token))
    throw new SettingsError("a token begins with utok_ or ntok_; see `baton login` or `baton node create`");
  // Its network goes with its token.
  const network =
    said(options.network) ?? said(environment["BATON_NETWORK"]) ?? (named === undefined ? own?.network : undefined);
  const ca = said(options.ca) ?? said(environment["BATON_CA"]) ?? own?.ca;
  const { profile: _, ca: __, environment: ___, ...others } = options;
  return new Client({
    ...others,
    hub,
    token,
    network,
    fetch:
      options.fetch ?? (ca !== undefined && hub.startsWith("https:") ? fetchWithCa(await certificates(ca)) : undefined),
    createHasher: options.createHasher ?? nativeHasher,
    openTelemetry: options.openTelemetry ?? installedOpenTelemetry(),
  });
}

function nativeHasher(): Hasher {
  const hash = createHash("sha256");
  return { update: (bytes) => hash.update(bytes), hex: () => hash.digest("hex") };
}

/** With or without its last slash it is the same hub. */
function sameHub(one: string, other: string): boolean {
  const plain = (text: string) => (URL.canParse(text) ? new URL(text).href.replace(/\/+$/, "") : text);
  return plain(one) === plain(other);
}

async function certificates(file: string): Promise<string> {
  try {
    const pem = await readFile(file, "utf8");
    if (pem.includes("-----BEGIN CERTIFICATE-----")) return pem;
  } catch (error) {
    throw new SettingsError(`cannot use the certificates in ${file}: ${(error as Error).message}`, error);
  }
  throw new SettingsError(`cannot use the certificates in ${file}: it holds none; it must be a PEM file`);
}

/** `@opentelemetry/api`, if the program has it. Its state is global, so that any copy of it is the program's. */
function installedOpenTelemetry(): OpenTelemetry | undefined {
  try {
    return createRequire(import.meta.url)("@opentelemetry/api") as OpenTelemetry;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}
