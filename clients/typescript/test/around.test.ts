// Around it: numbers 29 to 31 of clients/BEHAVIOUR.md, and hubs with a certificate of their own.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { inspect } from "node:util";
import * as openTelemetry from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { agent } from "baton-hub-client";
import { type BatonError, Client, type ConnectOptions, connect, SettingsError } from "baton-hub-client/node";
import { REPOSITORY, TestHub } from "./hub.js";
import { json, Stub } from "./servers.js";

let hub: TestHub;
let home: string;
before(async () => {
  hub = await TestHub.start();
  home = await mkdtemp(join(tmpdir(), "baton-ts-home-"));
});
after(async () => {
  await hub.stop();
  await rm(home, { recursive: true });
});

/** What a client of these settings sends. */
async function sends(
  options: ConnectOptions,
): Promise<{ host: string; authorization: string; network: string | null }> {
  const seen: { host: string; authorization: string; network: string | null }[] = [];
  const recording: typeof fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const authorization = new Headers(init?.headers).get("authorization") ?? "";
    seen.push({ host: url.origin, authorization, network: url.searchParams.get("network_id") });
    return Response.json({ ok: true, messages: [] });
  };
  const client = await connect({ ...options, fetch: recording });
  for await (const _ of client.inbox()) assert.fail("it is empty");
  const [only] = seen;
  assert.ok(only);
  return only;
}

test("b29 arguments come before the environment, the environment before the profile, and no token is shown", async () => {
  const file = join(home, ".baton", "config.toml");
  await mkdir(join(home, ".baton"));
  const profiles = [
    "[profile.default]",
    'hub = "http://127.0.0.1:9200"',
    'token = "utok_1111"',
    'network = "net_111111111111"',
    "",
    '[profile."other.one"] # another hub',
    'hub = "https://hub.example.org/"',
    "token = 'ntok_2222'",
    "",
  ];
  await writeFile(file, profiles.join("\n"), { mode: 0o600 });
  const environment = { HOME: home };
  const local = "http://127.0.0.1:9200";
  const cases: [ConnectOptions, string, string, string | null][] = [
    [{ environment }, local, "utok_1111", "net_111111111111"],
    [{ environment, profile: "other.one" }, "https://hub.example.org", "ntok_2222", null],
    [{ environment: { HOME: home, BATON_PROFILE: "other.one" } }, "https://hub.example.org", "ntok_2222", null],
    // Its network goes with its token.
    [{ environment: { HOME: home, BATON_TOKEN: " utok_3333 " } }, local, "utok_3333", null],
    [
      { environment: { HOME: home, BATON_TOKEN: "utok_3333", BATON_NETWORK: "net_333333333333" } },
      local,
      "utok_3333",
      "net_333333333333",
    ],
    [
      {
        environment: { HOME: home, BATON_HUB: "", BATON_TOKEN: "utok_3333" },
        token: "ntok_4444",
        hub: "http://localhost:1234",
      },
      "http://localhost:1234",
      "ntok_4444",
      null,
    ],
  ];
  for (const [options, host, token, network] of cases) {
    assert.deepEqual(await sends(options), { host, authorization: `Bearer ${token}`, network });
  }
  const refused = async (options: ConnectOptions, words: RegExp) => {
    await assert.rejects(
      connect(options),
      (error) => error instanceof SettingsError && words.test(error.message) && !/utok_1|ntok_2/.test(inspect(error)),
    );
  };
  // A profile's token is for its own hub.
  await refused(
    { environment: { HOME: home, BATON_HUB: "http://127.0.0.1:9999" } },
    /no token for http:\/\/127.0.0.1:9999/,
  );
  await refused({ environment, token: "secret" }, /begins with utok_ or ntok_/);
  await refused({ environment, profile: "../x" }, /1 to 64 letters/);
  await refused({ environment, hub: "hub" }, /give the hub's address/);
  await chmod(file, 0o644);
  await refused({ environment }, /chmod 600/);
  await chmod(file, 0o600);
  await writeFile(file, "[profile.default]\nhub = [1]\n");
  await refused({ environment }, /line 2 of/);

  const stub = await Stub.start((_, response) => json(response, 500, { ok: false, error: "internal_error" }));
  const client = new Client({ hub: stub.url, token: "utok_secret", retry: { tries: 1 } });
  const error: BatonError = await client.me().then(
    () => assert.fail(),
    (reason) => reason,
  );
  const worker = agent("x", () => "x", { client: client.withToken("ntok_secret") });
  for (const shown of [error, client, worker, client.transport]) {
    assert.doesNotMatch(inspect(shown, { depth: 10, showHidden: true }), /tok_secret/);
    assert.doesNotMatch(JSON.stringify(shown), /tok_secret/);
  }
  assert.doesNotMatch(error.stack ?? "", /tok_secret/);
  await worker.stop({ now: true });
  await stub.close();
});

test("the hub's certificate is checked with the CA that is named, and with no other", async () => {
  const folder = await mkdtemp(join(tmpdir(), "baton-ts-tls-"));
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  execFileSync(
    "openssl",
    ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", certificate, ...subject],
    { stdio: "ignore" },
  );
  const secure = await TestHub.start(["--tls-cert", certificate, "--tls-key", key], "https");
  const token = "utok_0000";
  const asked = (ca: string | undefined) =>
    connect({ hub: secure.url, token, ca, environment: { HOME: folder }, retry: { tries: 1 } }).then((client) =>
      client.me(),
    );
  await assert.rejects(asked(certificate), { code: "unauthorized" });
  await assert.rejects(asked(undefined), { code: "unreachable" });
  await assert.rejects(asked(join(folder, "none.pem")), SettingsError);
  await assert.rejects(asked(key), /it holds none/);
  // A body, a stream and an abort go the same way.
  const client = await connect({ hub: secure.url, token, ca: certificate, environment: { HOME: folder } });
  await assert.rejects(client.send("x", "y"), { code: "unauthorized" });
  await assert.rejects(client.upload("bytes"), { code: "unauthorized" });
  await assert.rejects(client.taskEvents("x").next(), { code: "unauthorized" });
  await assert.rejects(client.me({ signal: AbortSignal.abort(new Error("enough")) }), /enough/);
  await secure.stop();
  await rm(folder, { recursive: true });
});

test("b30 a send carries the current trace, and the handler runs in the trace its task was sent in", async () => {
  openTelemetry.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  openTelemetry.propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const span = { traceId, spanId: "b7ad6b7169203331", traceFlags: 1 };
  const sent = openTelemetry.trace.setSpanContext(openTelemetry.ROOT_CONTEXT, span);
  const token = await hub.token("b30");
  // As a program with the package has it: `connect` finds it by itself.
  const client = await connect({ hub: hub.url, token, environment: { HOME: hub.folder } });
  const seen = () => openTelemetry.trace.getSpanContext(openTelemetry.context.active())?.traceId;
  const worker = agent(
    "b30",
    async (task) => {
      await task.progress(1);
      return String(seen());
    },
    { client },
  );
  const user = hub.user({ openTelemetry });
  const { task } = await openTelemetry.context.with(sent, () => user.send("b30", "x", { waitSeconds: 30 }));
  assert.equal(task.result, traceId);
  assert.equal((await user.send("b30", "outside of any trace", { waitSeconds: 30 })).task.result, "undefined");
  const plain = await hub.user().send("b30", "without the package", { waitSeconds: 30 });
  assert.equal(plain.task.result, "undefined");
  await worker.stop();
});

test("b31 the generated types are current, and the description is the hub's own", async () => {
  execFileSync(process.execPath, ["scripts/generate.mjs", "--check"], {
    cwd: resolve(import.meta.dirname, "../.."),
    stdio: "inherit",
  });
  const kept: unknown = JSON.parse(await readFile(join(REPOSITORY, "clients/openapi.json"), "utf8"));
  const answered: unknown = await (await fetch(`${hub.url}/openapi.json`)).json();
  assert.deepEqual(kept, answered, "clients/openapi.json is out of date: write GET /openapi.json of a hub there");
});
