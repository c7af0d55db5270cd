// A client that speaks as an alias: with the agent's own token as it is; with a user's token one is minted for this run and
// revoked at its end, so that no file has to hold it.

import { Client } from "./client.js";
import { SettingsError } from "./errors.js";
import type { NodeTokenMinted, Profile } from "./generated/types.js";

export interface AgentClient {
  readonly client: Client;
  /** Ends the token that was minted for this run, if one was. */
  close(): Promise<void>;
}

export async function openAgentClient(client: Client, alias: string, signal: AbortSignal): Promise<AgentClient> {
  const profile = await client.me({ signal });
  if (!profile.current_network) return mint(client, alias, profile, signal);
  if (profile.alias === alias) return { client, close: async () => undefined };
  if (!profile.alias) throw new SettingsError(`this token has no alias yet; use one of \`baton node create ${alias}\``);
  throw new SettingsError(`this token speaks as ${profile.alias}, not as ${alias}`);
}

async function mint(client: Client, alias: string, profile: Profile, signal: AbortSignal): Promise<AgentClient> {
  const network = (await client.networkId(signal)) ?? onlyNetwork(profile);
  const minted = await client.transport.json<NodeTokenMinted>({
    method: "POST",
    path: ["api", "auth", "node-token"],
    json: { network_id: network, node_name: alias },
    // Without the signal: a token whose answer is not waited for could not be revoked.
    repeat: "unsent",
  });
  const close = async () => {
    const path = ["api", "auth", "tokens", minted.token_id];
    await client.transport.json({ method: "DELETE", path, repeat: "unsent", retry: { totalSeconds: 2 } });
  };
  return { client: new Client({ transport: client.transport.withToken(minted.token), network }), close };
}

function onlyNetwork(profile: Profile): string {
  const [only, another] = profile.networks;
  if (only === undefined) throw new SettingsError("you are in no network; run `baton network create NAME`");
  if (another !== undefined) throw new SettingsError("you are in several networks; pass `network`");
  return only.network_id;
}
