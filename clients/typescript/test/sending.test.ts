// Sending: numbers 1 to 11 of clients/BEHAVIOUR.md.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  AliasNotFound,
  agent,
  BatonError,
  Client,
  ERROR_CLASSES,
  HubUnreachable,
  hasCode,
  IdempotencyKeyReused,
  InputRequired,
  InvalidInput,
  RateLimited,
  TaskFailed,
  TaskIsTerminal,
  TaskNotFound,
  Unauthorized,
  WaitTimedOut,
  type wire,
} from "baton-hub-client";
import { TestHub, until } from "./hub.js";
import { HubProxy, json, Stub } from "./servers.js";

let hub: TestHub;
before(async () => {
  hub = await TestHub.start();
});
after(() => hub.stop());

/** The error that a call rejects with. */
async function refused(call: Promise<unknown>): Promise<BatonError> {
  const error: unknown = await call.then(
    () => assert.fail("it was not refused"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof BatonError, String(error));
  return error;
}

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

test("b01 a send with a wait returns the ended task in one request, and waits on up to the caller's limit", async () => {
  const client = await hub.node("b01");
  const proxy = await HubProxy.start(hub.url);
  const user = hub.user({ hub: proxy.url });
  const worker = agent("b01", async (task) => `did ${task.text}`, { client });
  const sent = await user.send("b01", "it", { waitSeconds: 30 });
  assert.equal(sent.ended, true);
  assert.equal(sent.task.status, "replied");
  assert.equal(sent.task.result, "did it");
  assert.deepEqual(proxy.calls, ["POST /api/task"]);
  await worker.stop();

  // The hub's own wait ends at once here, as it does where too many calls wait; the library waits on.
  const stub = await Stub.start((request, response, count) => {
    const task = { task_id: "t", status: count < 3 ? "running" : "replied", result: "late" };
    if (request.method === "POST") json(response, 200, { ok: true, task_id: "t", task, ended: false });
    else json(response, 200, { ok: true, task, event_count: count });
  });
  const late = await new Client({ hub: stub.url }).send("x", "y", { waitSeconds: 600 });
  assert.deepEqual([late.ended, late.task.result], [true, "late"]);
  assert.equal(JSON.parse(stub.calls[0]?.text ?? "").wait_seconds, 60);
  assert.match(stub.calls.at(-1)?.url ?? "", /^\/api\/tasks\/t\?wait_seconds=60&after=\d$|^\/api\/tasks\/t$/);
  await stub.close();

  const open = await user.send("b01", "nobody is there", { waitSeconds: 1 });
  assert.deepEqual([open.ended, open.task.status], [false, "delivered"]);
  assert.equal((await hub.task(open.task_id)).status, "delivered");
  await proxy.close();
});

test("b02 a send whose answer was lost in a kill of the hub makes one task", async () => {
  await hub.token("b02");
  const proxy = await HubProxy.start(hub.url);
  let isKilled = false;
  proxy.hooks.answered = async (method, path) => {
    if (isKilled || `${method} ${path}` !== "POST /api/task") return true;
    isKilled = true;
    await hub.kill();
    void hub.up();
    return false;
  };
  const sent = await hub
    .user({ hub: proxy.url, retry: { tries: 100, totalSeconds: 60, maxMillis: 200 } })
    .send("b02", "once");
  assert.equal(isKilled, true);
  const tasks = await all(hub.user().list({ to: "b02" }));
  assert.deepEqual(
    tasks.map((task) => task.task_id),
    [sent.task_id],
  );
  await proxy.close();
});

test("b03 a key of the caller's is sent as it is", async () => {
  await hub.token("b03");
  const user = hub.user();
  const first = await user.send("b03", "one", { idempotencyKey: "mine" });
  const again = await user.send("b03", "one", { idempotencyKey: "mine" });
  assert.equal(again.task_id, first.task_id);
  const error = await refused(user.send("b03", "two", { idempotencyKey: "mine" }));
  assert.ok(error instanceof IdempotencyKeyReused);
});

test("b04 errors are typed by their code and say what to do", async () => {
  const user = hub.user();
  const unknown = await refused(user.send("b04-nobody", "x"));
  assert.ok(unknown instanceof AliasNotFound);
  assert.ok(hasCode(unknown, "alias_not_found") && !hasCode(unknown, "busy"));
  assert.deepEqual([unknown.code, unknown.status, unknown.name], ["alias_not_found", 404, "AliasNotFound"]);
  assert.match(unknown.remedy, /GET \/api\/status/);

  const stranger = await refused(new Client({ hub: hub.url, token: "utok_0000" }).me());
  assert.ok(stranger instanceof Unauthorized);
  assert.equal(stranger.status, 401);

  await hub.token("b04");
  const invalid = await refused(user.send("b04", ""));
  assert.ok(invalid instanceof InvalidInput);
  assert.ok(invalid.details.some((detail) => "field" in detail && detail.field === "task"));
  assert.match(invalid.message, /task:/);

  const missing = await refused(user.get("00000000-0000-7000-8000-000000000000"));
  assert.ok(missing instanceof TaskNotFound);

  const { task_id } = await user.send("b04", "x");
  await user.cancel(task_id);
  const terminal = await refused(
    user.transport.json({
      method: "POST",
      path: ["api", "tasks", task_id, "reassign"],
      json: { new_alias: "b04" },
      repeat: "unsent",
    }),
  );
  assert.ok(terminal instanceof TaskIsTerminal);
  assert.equal(terminal.code, "task is terminal (cancelled)");

  for (const [code, type] of Object.entries(ERROR_CLASSES)) {
    assert.ok(type.prototype instanceof BatonError, code);
  }
});

test("b05 unknown codes and answers that are no hub's are base errors", async () => {
  const answers = [
    [418, '{"ok":false,"error":"from_the_future","message":"hm"}'],
    [404, "<html>"],
    [403, "[1]"],
    [409, '"text"'],
  ] as const;
  for (const [status, text] of answers) {
    const stub = await Stub.start((_, response) => void response.writeHead(status).end(text));
    const error = await refused(new Client({ hub: stub.url }).me());
    assert.equal(error.constructor, BatonError);
    assert.deepEqual(
      [error.status, error.code, error.remedy],
      [status, status === 418 ? "from_the_future" : `http_${status}`, ""],
    );
    await stub.close();
  }
});

test("b06 Retry-After is honoured, and a wait that is too long is an error at once", async () => {
  const busy = { ok: false, error: "busy" };
  const cases = [
    [503, busy, { "retry-after": "1" }, 1_000],
    [429, { ok: false, error: "rate_limited", retry_after_ms: 300 }, { "retry-after": "1" }, 300],
  ] as const;
  for (const [status, body, headers, least] of cases) {
    const stub = await Stub.start((_, response, count) => {
      if (count === 1) json(response, status, body, headers);
      else json(response, 200, { ok: true });
    });
    await new Client({ hub: stub.url }).claim();
    const [first, second] = stub.calls;
    assert.ok(first && second && second.at - first.at >= least - 20, "it did not wait");
    assert.equal(stub.calls.length, 2);
    await stub.close();
  }
  const stub = await Stub.start((_, response) =>
    json(response, 429, { ok: false, error: "rate_limited", retry_after_ms: 60_000 }),
  );
  const error = await refused(new Client({ hub: stub.url, retry: { totalSeconds: 5 } }).me());
  assert.ok(error instanceof RateLimited);
  assert.deepEqual([error.retryAfterMillis, stub.calls.length], [60_000, 1]);
  await stub.close();
});

test("b07 only calls that can be repeated are repeated, and not forever", async () => {
  const retry = { tries: 3, firstMillis: 1, maxMillis: 2 };
  type Act = (client: Client) => Promise<unknown>;
  const read: Act = (client) => client.get("t");
  const send: Act = (client) => client.send("a", "t");
  const claim: Act = (client) => client.claim();
  const reply: Act = (client) => client.reply("t", "x");
  const tries = async (act: Act, answer: (response: import("node:http").ServerResponse) => void) => {
    const stub = await Stub.start((_, response) => answer(response));
    await assert.rejects(act(new Client({ hub: stub.url, retry })), BatonError);
    const { length } = stub.calls;
    const keys = new Set(stub.calls.map((call) => (call.text ? JSON.parse(call.text).idempotency_key : undefined)));
    assert.equal(keys.size, 1);
    await stub.close();
    return length;
  };
  const broken = (response: import("node:http").ServerResponse) => {
    response.writeHead(200, { "content-length": "100" }).write("{");
    setImmediate(() => response.socket?.destroy());
  };
  const failing = (status: number, error: string) => (response: import("node:http").ServerResponse) =>
    json(response, status, { ok: false, error });
  for (const answer of [broken, failing(500, "internal_error"), failing(503, "outcome_unknown")]) {
    assert.deepEqual(
      [await tries(read, answer), await tries(send, answer), await tries(claim, answer), await tries(reply, answer)],
      [3, 3, 1, 1],
    );
  }
  for (const code of ["busy", "starting", "shutting_down", "storage_unavailable"]) {
    assert.equal(await tries(claim, failing(503, code)), 3, code);
  }
  assert.equal(await tries(claim, failing(429, "rate_limited")), 3);
  assert.equal(await tries(read, failing(404, "task_not_found")), 1);
  // Nobody listens there: the hub cannot have seen the call.
  const nobody = await Stub.start(() => undefined);
  const { url } = nobody;
  await nobody.close();
  const away = await refused(new Client({ hub: url, retry }).claim());
  assert.ok(away instanceof HubUnreachable && away.isUnsent);
});

test("b08 fields and values of a newer hub are read", async () => {
  const task = { task_id: "t", status: "pondering", colour: "blue", result: null };
  const stub = await Stub.start((_, response) => json(response, 200, { ok: true, task, event_count: 1, mood: "good" }));
  const shown = await new Client({ hub: stub.url }).get("t");
  const status: wire.Status = shown.task.status;
  assert.equal(status, "pondering");
  assert.deepEqual((shown.task as unknown as Record<string, unknown>)["colour"], "blue");
  assert.deepEqual((shown as unknown as Record<string, unknown>)["mood"], "good");
  await stub.close();
});

test("b09 a result of 1 MiB comes back unchanged, and one byte more is refused", async () => {
  const client = await hub.node("b09");
  const result = "é€😀".repeat((1 << 20) / 9);
  const full = result + "x".repeat((1 << 20) - Buffer.byteLength(result));
  assert.equal(Buffer.byteLength(full), 1 << 20);
  const worker = agent("b09", () => full, { client });
  const sent = await hub.user().send("b09", "full", { waitSeconds: 30 });
  assert.equal(sent.task.result, full);
  await worker.stop();
  const { task_id } = await hub.user().send("b09", "by hand");
  const claim = await client.claim();
  const error = await refused(client.reply(task_id, `${full}y`, { leaseId: claim?.lease_id }));
  assert.ok(error instanceof InvalidInput);
});

test("b10 a cancel ends the task, and a second one changes nothing", async () => {
  await hub.token("b10");
  const user = hub.user();
  const { task_id } = await user.send("b10", "x");
  assert.equal((await user.cancel(task_id, { reason: "not needed" })).cancelled, true);
  const { status, result } = await hub.task(task_id);
  assert.deepEqual([status, result], ["cancelled", "not needed"]);
  assert.equal((await user.cancel(task_id)).cancelled, false);
});

test("b11 lists go through all pages, and an acknowledged delivery leaves the inbox", async () => {
  const client = await hub.node("b11");
  const user = hub.user();
  const sent = await Promise.all(Array.from({ length: 25 }, (_, n) => user.send("b11", `task ${n}`)));
  const listed = await all(user.list({ to: "b11", pageSize: 4 }));
  assert.equal(listed.length, 25);
  assert.deepEqual(new Set(listed.map((task) => task.task_id)), new Set(sent.map((one) => one.task_id)));
  const inbox = await all(client.inbox({ pageSize: 10 }));
  assert.equal(inbox.length, 25);
  const [first] = inbox;
  assert.ok(first);
  await client.ack(first.id);
  const left = await all(client.inbox());
  assert.equal(left.length, 24);
  assert.ok(left.every((delivery) => delivery.id !== first.id));
  await until("the task is acknowledged", async () => (await hub.task(first.task_id ?? "")).status === "acked");
});

test("a call gives back the result, or rejects with what the task came to instead", async () => {
  const worker = agent(
    "called",
    async (task) => {
      if (task.text === "fail") throw new Error("broken");
      return task.text === "ask" ? task.ask("Which?", { choices: ["a", "b"] }) : "the result";
    },
    { client: await hub.node("called") },
  );
  const user = hub.user();
  assert.equal(await user.call("called", "x"), "the result");
  const failed = await refused(user.call("called", "fail"));
  assert.ok(failed instanceof TaskFailed);
  assert.deepEqual([failed.message, failed.taskStatus], ["broken", "failed"]);
  const asked = await refused(user.call("called", "ask"));
  assert.ok(asked instanceof InputRequired);
  assert.deepEqual([asked.question, asked.choices], ["Which?", ["a", "b"]]);
  await user.answer(asked.task.task_id, "b");
  assert.equal(await user.result(asked.task.task_id), "b");
  await worker.stop();
  const open = await refused(user.call("called", "nobody is there", { waitSeconds: 0 }));
  assert.ok(open instanceof WaitTimedOut);
  await user.cancel(open.task.task_id);
  assert.equal((await refused(user.result(open.task.task_id))).taskStatus, "cancelled");
  const { task_id } = await user.retry(open.task.task_id);
  assert.equal((await user.reassign(task_id, "b10")).reassigned_to, "b10");
});

test("an aborted call rejects with its signal's reason", async () => {
  const stub = await Stub.start(() => undefined);
  const client = new Client({ hub: stub.url });
  const abort = new AbortController();
  const calls = [
    client.me(abort),
    client.send("a", "b", abort),
    client.list(abort).next(),
    client.taskEvents("t", abort).next(),
  ];
  await until("they are there", () => stub.calls.length === calls.length);
  abort.abort(new Error("enough"));
  for (const call of calls) await assert.rejects(call, /enough/);
  await assert.rejects(client.upload("x", abort), /enough/);
  await stub.close();
  const silent = await Stub.start(() => undefined);
  const impatient = new Client({ hub: silent.url, answerSeconds: 0.05, retry: { tries: 1 } });
  assert.match((await refused(impatient.me())).message, /no answer in time/);
  await silent.close();
});
