// Working: numbers 12 to 21 of clients/BEHAVIOUR.md, and what a run that begins again does not do twice.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  type AgentOptions,
  agent,
  type HandlerTask,
  hasCode,
  NotAnOption,
  SettingsError,
  TaskCancelled,
  type TaskStreamEvent,
  type Worker,
} from "baton-hub-client";
import { Gate, TestHub, until } from "./hub.js";
import { HubProxy } from "./servers.js";

let hub: TestHub;
before(async () => {
  hub = await TestHub.start();
});
after(() => hub.stop());

const workers: Worker[] = [];
after(() => Promise.all(workers.map((worker) => worker.stop({ now: true }))));

/** A worker that ends with the test file, whatever happens. */
async function work(
  alias: string,
  handler: Parameters<typeof agent>[1],
  options: Partial<AgentOptions> = {},
): Promise<Worker> {
  const worker = agent(alias, handler, { client: await hub.node(alias), ...options });
  workers.push(worker);
  return worker;
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));

test("b12 two workers run every task exactly once, and every sender gets its own result", async () => {
  const runs = new Map<string, number>();
  const handler = async (task: HandlerTask) => {
    runs.set(task.id, (runs.get(task.id) ?? 0) + 1);
    return `result of ${task.text}`;
  };
  const client = await hub.node("b12");
  const two = [
    await work("b12", handler, { client, concurrency: 2 }),
    await work("b12", handler, { client, concurrency: 2 }),
  ];
  const user = hub.user();
  const ended = await Promise.all(
    Array.from({ length: 40 }, (_, n) => user.send("b12", `task ${n}`, { waitSeconds: 60 })),
  );
  ended.forEach((one, n) => {
    assert.equal(one.task.result, `result of task ${n}`);
  });
  assert.deepEqual([...runs.values()], Array(40).fill(1));
  await Promise.all(two.map((worker) => worker.stop()));
});

test("b13 the lease of a handler that takes longer than two lease times is renewed", async () => {
  const worker = await work("b13", () => new Promise<string>((resolve) => setTimeout(() => resolve("slow"), 10_500)), {
    leaseSeconds: 5,
  });
  const sent = await hub.user().send("b13", "x", { waitSeconds: 60 });
  assert.deepEqual([sent.task.result, sent.task.attempt], ["slow", 1]);
  await worker.stop();
});

test("b14 a cancel aborts the handler's signal, its later calls reject, and the worker takes the next task", async () => {
  const started = new Gate<string>();
  const seen = new Gate<unknown[]>();
  const worker = await work("b14", async (task) => {
    if (task.text === "next") return "taken";
    started.open(task.id);
    await aborted(task.signal);
    const later = await Promise.allSettled([
      task.progress(50),
      task.ask("still there?"),
      task.share("a", "b"),
      task.send("b14", "x"),
    ]);
    seen.open([task.signal.reason, ...later.map((one) => (one.status === "rejected" ? one.reason : undefined))]);
    return "too late";
  });
  const user = hub.user();
  const { task_id } = await user.send("b14", "first");
  assert.equal(await started.promise, task_id);
  await user.cancel(task_id, { reason: "enough" });
  for (const reason of await seen.promise) {
    assert.ok(reason instanceof TaskCancelled, String(reason));
    assert.deepEqual([reason.taskId, reason.why], [task_id, "cancelled"]);
  }
  assert.equal((await user.send("b14", "next", { waitSeconds: 30 })).task.result, "taken");
  assert.deepEqual([(await hub.task(task_id)).status, (await hub.task(task_id)).result], ["cancelled", "enough"]);
  await worker.stop();
});

test("b15 a question waits for its answer under the same lease, and only a choice answers it", async () => {
  const worker = await work("b15", async (task) => {
    const before = task.leaseId;
    const colour = await task.ask("Which colour?", { choices: ["red", "blue"] });
    return `${task.text} is ${colour} ${before === task.leaseId}`;
  });
  const user = hub.user();
  const asked = await user.send("b15", "the door", { waitSeconds: 30 });
  assert.deepEqual([asked.ended, asked.task.status], [false, "waiting_input"]);
  const question = asked.task.messages.at(-1);
  assert.deepEqual(
    [question?.kind, question?.content, question?.options],
    ["question", "Which colour?", ["red", "blue"]],
  );
  await assert.rejects(
    user.answer(asked.task_id, "green"),
    (error) => error instanceof NotAnOption && hasCode(error, "not_an_option"),
  );
  assert.equal((await hub.task(asked.task_id)).status, "waiting_input");
  await user.answer(asked.task_id, "blue");
  // The answer starts the work again, so that the task is not settled before its end.
  const shown = await until("its end", async () => {
    const now = await user.wait(asked.task_id, { timeoutSeconds: 30 });
    return now.task.status === "replied" && now;
  });
  assert.deepEqual([shown.task.result, shown.task.attempt], ["the door is blue true", 1]);
  await worker.stop();
});

test("b16 progress appears on the task's stream in order and before its end", async () => {
  const go = new Gate();
  const worker = await work("b16", async (task) => {
    await go.promise;
    await task.progress(10, "one");
    await task.progress(50, "two");
    await task.progress(90, "three", { output: "printed\n" });
    return "done";
  });
  const user = hub.user();
  const { task_id } = await user.send("b16", "x");
  const seen: TaskStreamEvent[] = [];
  for await (const event of user.taskEvents(task_id)) {
    seen.push(event);
    if (event.type === "status" && event.status === "running") go.open();
  }
  const told = seen.filter((event) => event.type === "progress").map((event) => [event.percent, event.message]);
  assert.deepEqual(told, [
    [10, "one"],
    [50, "two"],
    [90, "three"],
  ]);
  const last = seen.at(-1);
  assert.ok(last?.type === "status" && last.status === "replied");
  assert.ok(seen.some((event) => event.type === "output" && event.text === "printed\n"));
  await worker.stop();
});

test("b17 a handler that throws fails its task with a bounded text, and the worker goes on", async () => {
  const worker = await work("b17", (task) => {
    if (task.text === "fine") return "fine";
    throw new Error(task.text === "long" ? "😀".repeat(3_000) : "no such file");
  });
  const user = hub.user();
  const failed = (await user.send("b17", "x", { waitSeconds: 30 })).task;
  assert.deepEqual([failed.status, failed.result], ["failed", "no such file"]);
  const long = (await user.send("b17", "long", { waitSeconds: 30 })).task;
  assert.equal(long.result, "😀".repeat(2_000));
  assert.equal((await user.send("b17", "fine", { waitSeconds: 30 })).task.result, "fine");
  await worker.stop();
});

test("b18 a handler can reject its task", async () => {
  const worker = await work("b18", (task) => task.reject("not my trade"));
  const { task } = await hub.user().send("b18", "x", { waitSeconds: 30 });
  assert.deepEqual([task.status, task.rejected, task.result], ["failed", true, "not my trade"]);
  await worker.stop();
});

test("b19 a reply takes the next task along", async () => {
  const claims: string[] = [];
  const counting: typeof fetch = (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    if (pathname === "/api/claim" || pathname.endsWith("/reply")) claims.push(pathname.split("/").at(-1) ?? "");
    return fetch(input, init);
  };
  const client = await hub.node("b19", { fetch: counting });
  const user = hub.user();
  const sent = await Promise.all(Array.from({ length: 6 }, (_, n) => user.send("b19", `task ${n}`)));
  const worker = await work("b19", () => "done", { client });
  await Promise.all(sent.map(({ task_id }) => user.wait(task_id, { timeoutSeconds: 30 })));
  const upToLast = claims.slice(0, claims.lastIndexOf("reply") + 1);
  assert.deepEqual(upToLast, ["claim", ...Array(6).fill("reply")]);
  await worker.stop();
});

test("b20 a worker survives a kill of the hub while its handler runs", async () => {
  const [started, go] = [new Gate(), new Gate()];
  const worker = await work("b20", async (task) => {
    if (task.text === "next") return "next too";
    started.open();
    await go.promise;
    return `kept, attempt ${task.attempt}`;
  });
  const user = hub.user({ retry: { tries: 200, totalSeconds: 60, maxMillis: 200 } });
  const { task_id } = await user.send("b20", "first");
  await started.promise;
  await hub.kill();
  go.open();
  await hub.up();
  const { task } = await user.wait(task_id, { timeoutSeconds: 60 });
  assert.deepEqual([task.status, task.result, task.attempt], ["replied", "kept, attempt 1", 1]);
  assert.equal((await user.send("b20", "next", { waitSeconds: 60 })).task.result, "next too");
  await worker.stop();
});

test("b21 a graceful stop lets handlers reply, takes no new task and removes the worker", async () => {
  const [started, go] = [new Gate(), new Gate()];
  const worker = await work("b21", async () => {
    started.open();
    await go.promise;
    return "ended in peace";
  });
  const user = hub.user();
  const listed = async () => {
    for await (const one of user.agents()) if (one.alias === "b21") return one.workers?.length ?? 0;
    return 0;
  };
  const first = await user.send("b21", "first");
  await started.promise;
  await until("the worker is listed", async () => (await listed()) === 1);
  const stopped = worker.stop();
  const second = await user.send("b21", "second");
  go.open();
  await stopped;
  await worker.done;
  assert.equal((await hub.task(first.task_id)).result, "ended in peace");
  assert.equal((await hub.task(second.task_id)).status, "delivered");
  assert.equal(await listed(), 0);
});

test("b35 a handler that is started again sends nothing twice, and asks nothing twice", async () => {
  await hub.token("helper");
  const client = await hub.node("again");
  let run = 0;
  const begun = new Gate();
  const handler = async (task: HandlerTask) => {
    run += 1;
    const { task_id } = await task.send("helper", "same text");
    await task.send("helper", "same text");
    const colour = await task.ask("Which colour?");
    if (run === 1) {
      begun.open();
      await aborted(task.signal);
    }
    return `${colour} ${task_id} ${task.attempt}`;
  };
  const user = hub.user();
  const first = await work("again", handler, { client, leaseSeconds: 5 });
  const asked = await user.send("again", "x", { waitSeconds: 30 });
  assert.equal(asked.task.status, "waiting_input");
  await user.answer(asked.task_id, "green");
  await begun.promise;
  await first.stop({ now: true });
  const second = await work("again", handler, { client });
  const { task } = await until("its end", async () => {
    const shown = await user.wait(asked.task_id, { timeoutSeconds: 30 });
    return shown.task.status === "replied" && shown;
  });
  const children: string[] = [];
  for await (const child of user.list({ parentTaskId: asked.task_id })) children.push(child.task_id);
  assert.equal(children.length, 2);
  assert.equal(task.result, `green ${children.at(-1)} 2`);
  await second.stop();
});

test("a question whose answer from the hub was lost is found again and not asked twice", async () => {
  const proxy = await HubProxy.start(hub.url);
  const client = await hub.node("lost-ask", { hub: proxy.url });
  let isLost = false;
  proxy.hooks.answered = (_, path) => {
    const isAsk = path.endsWith("/ask") && !isLost;
    isLost ||= isAsk;
    return !isAsk;
  };
  const worker = await work("lost-ask", async (task) => `it is ${await task.ask("Which one?")}`, { client });
  const user = hub.user();
  const asked = await user.send("lost-ask", "x", { waitSeconds: 30 });
  await until("the question is lost", () => isLost);
  await user.answer(asked.task_id, "this");
  const shown = await until("its end", async () => {
    const now = await user.wait(asked.task_id, { timeoutSeconds: 30 });
    return now.task.status === "replied" && now;
  });
  assert.equal(shown.task.result, "it is this");
  assert.equal(shown.messages?.filter((message) => message.kind === "question").length, 1);
  await worker.stop();
  await proxy.close();
});

test("a user's token serves as an agent's: one is minted for the run and revoked at its end", async () => {
  const user = hub.user();
  const worker = agent("minted", () => "by a token of its own", { client: user });
  workers.push(worker);
  await until("the alias is there", async () => {
    for await (const one of user.agents()) if (one.alias === "minted") return true;
    return false;
  });
  assert.equal((await user.send("minted", "x", { waitSeconds: 30 })).task.result, "by a token of its own");
  await worker.stop();
  await worker.done;
  const { tokens } = await user.transport.json<{ tokens: { name: string }[] }>({
    method: "GET",
    path: ["api", "auth", "tokens"],
    repeat: "always",
  });
  assert.ok(tokens.every((token) => token.name !== "node:minted"));
});

test("a worker whose token is another alias's, or unknown, is an error that names what is wrong", async () => {
  const other = agent("this-one", () => "x", { client: await hub.node("that-one") });
  await assert.rejects(
    other.done,
    (error) => error instanceof SettingsError && /speaks as that-one, not as this-one/.test(error.message),
  );
  const unknown = agent("this-one", () => "x", { client: hub.user().withToken("ntok_0000") });
  await assert.rejects(unknown.done, (error) => hasCode(error, "unauthorized"));
  assert.throws(() => agent("this-one", () => "x", { client: hub.user(), concurrency: 0 }), SettingsError);
});

test("a handler that ignores its signal holds its slot for the grace time only", async () => {
  const [started, never] = [new Gate(), new Gate<string>()];
  const events: string[] = [];
  const worker = await work(
    "deaf",
    (task) => {
      if (task.text === "next") return "taken";
      started.open();
      return never.promise;
    },
    {
      graceSeconds: 0.05,
      onEvent: (event) => void events.push(event.type),
    },
  );
  const user = hub.user();
  const { task_id } = await user.send("deaf", "first");
  await started.promise;
  await user.cancel(task_id);
  assert.equal((await user.send("deaf", "next", { waitSeconds: 30 })).task.result, "taken");
  assert.ok(events.includes("handler_goes_on"));
  await worker.stop();
});

test("b34 a result over 1 MiB becomes an artifact of the reply and comes back whole", async () => {
  const text = `x${"é".repeat(600_000)}`;
  const worker = await work("b34", () => text);
  const user = hub.user();
  assert.equal(await user.call("b34", "much"), text);
  const { value: row } = await user.list({ to: "b34" }).next();
  const { task } = await user.get(row?.task_id ?? "");
  const [whole] = task.artifacts?.filter((artifact) => artifact.source === "reply") ?? [];
  assert.deepEqual([whole?.name, whole?.description, whole?.size], ["result.txt", "the whole result", 1_200_001]);
  assert.ok(task.result?.endsWith(`is the artifact result.txt of this reply, sha256 ${whole?.sha256}]`));
  assert.ok(task.result?.startsWith("xéé") && !task.result.includes("\ufffd"));
  await worker.stop();
});

test("a result that the hub cannot take fails the task and says why", async () => {
  const worker = await work("refused", () => ({ text: "here", artifacts: [{ sha256: "0".repeat(64) }] }));
  const { task } = await hub.user().send("refused", "x", { waitSeconds: 30 });
  assert.equal(task.status, "failed");
  assert.match(task.result ?? "", /result was refused: .*artifact_not_found/s);
  await worker.stop();
});

test("a handler that returns something else fails its task, and a worker that is stopped before it starts takes nothing", async () => {
  const worker = await work("junk", ((task: HandlerTask) =>
    task.text === "nothing" ? undefined : { text: 5 }) as never);
  const user = hub.user();
  const { task } = await user.send("junk", "x", { waitSeconds: 30 });
  assert.equal(task.status, "failed");
  assert.match(task.result ?? "", /a handler returns a text/);
  assert.equal(await user.call("junk", "nothing"), "(no output)");
  await worker.stop();
  const { task_id } = await user.send("junk", "later");
  const stopped = await work("junk", () => "x", { signal: AbortSignal.abort() });
  await stopped.done;
  assert.equal((await hub.task(task_id)).status, "delivered");
});
