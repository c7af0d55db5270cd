// Streams: numbers 26 to 28 of clients/BEHAVIOUR.md.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client, type HubEvent, hasCode, type TaskStreamEvent } from "baton-hub-client";
import { TestHub, until } from "./hub.js";
import { HubProxy, Stub } from "./servers.js";

let hub: TestHub;
before(async () => {
  hub = await TestHub.start();
});
after(() => hub.stop());

test("b26 the inbox stream resumes over a killed hub without gap or repeat", async () => {
  const proxy = await HubProxy.start(hub.url);
  const client = await hub.node("b26", { hub: proxy.url });
  const user = hub.user({ retry: { tries: 100, totalSeconds: 60, maxMillis: 200 } });
  const seen: HubEvent[] = [];
  const stop = new AbortController();
  const reading = (async () => {
    for await (const event of client.events({ signal: stop.signal })) seen.push(event);
  })();
  await until("the stream stands", () => seen.some((event) => event.type === "connected"));
  const sent: string[] = [];
  const send = async () => void sent.push((await user.send("b26", `task ${sent.length}`)).task_id);
  await send();
  await send();
  await until("both are seen", () => seen.filter((event) => event.type === "new_task").length === 2);
  proxy.isBlocked = true;
  proxy.cut();
  await send();
  await hub.kill();
  await hub.up();
  await send();
  proxy.isBlocked = false;
  await until("it is back", () => seen.filter((event) => event.type === "connected").length > 1);
  await send();
  await until("the last is seen", () =>
    seen.some((event) => event.type === "new_task" && event.task_id === sent.at(-1)),
  );
  assert.deepEqual(
    seen.flatMap((event) => (event.type === "new_task" ? [event.task_id] : [])),
    sent,
  );
  assert.ok(seen.every((event) => event.type !== "reset"));
  stop.abort(new Error("enough"));
  await assert.rejects(reading, /enough/);

  // Whoever kept the last id continues from there, also in another process.
  const { id } = seen.findLast((event) => event.type === "new_task") ?? {};
  await send();
  for await (const event of client.events({ lastEventId: id })) {
    if (event.type !== "new_task") continue;
    assert.equal(event.task_id, sent.at(-1));
    break;
  }
  await proxy.close();
});

test("b27 the task stream yields status, progress and output, resumes, and ends with the task", async () => {
  const client = await hub.node("b27");
  const proxy = await HubProxy.start(hub.url);
  const user = hub.user();
  const { task_id } = await user.send("b27", "x");
  const seen: TaskStreamEvent[] = [];
  const reading = (async () => {
    for await (const event of hub.user({ hub: proxy.url }).taskEvents(task_id)) seen.push(event);
  })();
  await until("it is delivered", () => seen.length > 0);
  const claim = await client.claim({ waitSeconds: 10 });
  assert.ok(claim);
  await client.progress(task_id, claim.lease_id, { percent: 30, message: "begun", output: "one\n" });
  await until("the output", () => seen.some((event) => event.type === "output"));
  proxy.isBlocked = true;
  proxy.cut();
  await client.progress(task_id, claim.lease_id, { percent: 60, output: "two\n" });
  await hub.kill();
  await hub.up();
  proxy.isBlocked = false;
  await client.reply(task_id, "done", { leaseId: claim.lease_id });
  await reading;
  const statuses = seen.flatMap((event) => (event.type === "status" ? [event.status] : []));
  assert.deepEqual(statuses, ["delivered", "running", "replied"]);
  const printed = seen.flatMap((event) => (event.type === "output" ? [event.text] : [])).join("");
  assert.equal(printed, "one\ntwo\n");
  const percents = seen.flatMap((event) => (event.type === "progress" ? [event.percent] : []));
  assert.deepEqual(percents, [30, 60]);
  await proxy.close();
});

test("b28 a reset is passed on, and comments, unknown types and cut frames do no harm", async () => {
  const frames = (...lines: string[]) => lines.join("\n");
  const stub = await Stub.start((_, response, count) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (count === 1) {
      response.write(
        frames(
          ": hello",
          "",
          'data: {"type":"connected","session":"a"}',
          "",
          "id: 9",
          'data: {"type":"reset"}',
          "",
          "",
        ),
      );
      response.write(
        frames("event: x", "retry: 5", 'data: {"type":"from_the_future","é":1}', "", "id: 10", 'data: {"type":'),
      );
      setTimeout(() => response.socket?.destroy(), 30);
    } else if (count === 2) {
      response.write(frames("id: 10", "data: not json", "", ""));
    } else {
      response.write(frames("id: 11", 'data: {"type":"new_task",', 'data: "task_id":"t"}', "", ""));
    }
  });
  const seen: HubEvent[] = [];
  for await (const event of new Client({ hub: stub.url, token: "ntok_1" }).events({ alias: "a" })) {
    seen.push(event);
    if (event.type === "new_task") break;
  }
  assert.deepEqual(
    seen.map((event) => [event.type, event.id]),
    [
      ["connected", undefined],
      ["reset", "9"],
      ["from_the_future", undefined],
      ["new_task", "11"],
    ],
  );
  // The frame that was cut in two is asked for again, the one that cannot be read is not.
  assert.deepEqual(
    stub.calls.map((call) => call.headers["last-event-id"]),
    [undefined, "9", "10"],
  );
  await stub.close();
});

test("a stream that broke before its first numbered event says that something may be missing", async () => {
  const stub = await Stub.start((_, response, count) => {
    response.writeHead(200).write('data: {"type":"connected"}\n\n');
    if (count === 1) setTimeout(() => response.socket?.destroy(), 20);
    else response.write('id: 1\ndata: {"type":"new_task","task_id":"t"}\n\n');
  });
  const seen: string[] = [];
  for await (const event of new Client({ hub: stub.url, token: "ntok_1" }).events({ alias: "a" })) {
    seen.push(event.type);
    if (event.type === "new_task") break;
  }
  assert.deepEqual(seen, ["connected", "reset", "connected", "new_task"]);
  await stub.close();
});

test("a stream that the hub refuses ends with its error", async () => {
  const client = new Client({ hub: hub.url, token: "ntok_0000" });
  await assert.rejects(client.events({ alias: "a" }).next(), (error) => hasCode(error, "unauthorized"));
});
