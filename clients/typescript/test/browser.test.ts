// The core in Chromium: a page of another origin sends, works, follows, uploads and downloads. What drives it is installed by
// `make browser` (target/tools/browser).

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { test } from "node:test";
import type * as core from "baton-hub-client";
import { freePort, REPOSITORY, TestHub } from "./hub.js";

const DIST = resolve(import.meta.dirname, "../../dist");
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];

/** As much of playwright-core as is used here. */
interface Page {
  on(event: string, heard: (what: unknown) => void): void;
  goto(url: string): Promise<unknown>;
  evaluate<A, R>(run: (given: A) => Promise<R>, given: A): Promise<R>;
}
interface Playwright {
  chromium: {
    launch(options: object): Promise<{ newPage(): Promise<Page>; close(): Promise<void> }>;
  };
}

test("the core runs in a browser, from a page of another origin", async () => {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const server = createServer(async (request, response) => {
    const path = join(DIST, new URL(request.url ?? "/", origin).pathname);
    if (!path.endsWith(".js"))
      return void response.writeHead(200, { "content-type": "text/html" }).end("<title>page</title>");
    response.writeHead(200, { "content-type": "text/javascript" }).end(await readFile(path));
  }).listen(port, "127.0.0.1");
  await once(server, "listening");
  const hub = await TestHub.start(["--cors-origin", origin]);
  const require = createRequire(join(REPOSITORY, "target/tools/browser/"));
  const { chromium } = require("playwright-core") as Playwright;
  const executablePath = process.env["BATON_CHROMIUM"] || "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  const page = await browser.newPage();
  const troubles: unknown[] = [];
  page.on("pageerror", (error) => troubles.push(error));
  await page.goto(origin);
  const given = { hub: hub.url, user: hub.userToken, node: await hub.token("page") };
  const seen = await page.evaluate(inPage, given);
  assert.deepEqual(seen, {
    result: "the page did it",
    answer: "the page asks blue",
    events: true,
    download: "bytes from a page",
    streamed: "a stream",
    error: "AliasNotFound alias_not_found 404",
    cancelled: "cancelled",
  });
  assert.deepEqual(troubles, []);
  await browser.close();
  await hub.stop();
  server.close();
});

/** Runs in the page. */
async function inPage(given: { hub: string; user: string; node: string }): Promise<Record<string, unknown>> {
  const { agent, AliasNotFound, Client } = (await import("/index.js" as string)) as typeof core;
  const user = new Client({ hub: given.hub, token: given.user });
  const node = new Client({ hub: given.hub, token: given.node });
  let started: (() => void) | undefined;
  const begun = new Promise<void>((resolve) => {
    started = resolve;
  });
  let why = "";
  const worker = agent(
    "page",
    async (task) => {
      if (task.text === "ask") return `the page asks ${await task.ask("Which?", { choices: ["red", "blue"] })}`;
      if (task.text !== "wait") return "the page did it";
      started?.();
      await new Promise<void>((resolve) => task.signal.addEventListener("abort", () => resolve()));
      why = (task.signal.reason as core.TaskCancelled).why;
      return "too late";
    },
    { client: node },
  );
  const stop = new AbortController();
  let heard: (() => void) | undefined;
  const connected = new Promise<void>((resolve) => {
    heard = resolve;
  });
  const replies: string[] = [];
  const following = (async () => {
    for await (const event of user.events({ signal: stop.signal })) {
      if (event.type === "connected") heard?.();
      if (event.type === "new_reply" && event.in_reply_to) replies.push(event.in_reply_to);
    }
  })().catch(() => undefined);
  await connected;
  const sent = await user.send("page", "x", { waitSeconds: 30 });
  const asked = await user.send("page", "ask", { waitSeconds: 30 });
  await user.answer(asked.task_id, "blue");
  let last = "";
  for await (const event of user.taskEvents(asked.task_id)) if (event.type === "status") last = event.status;
  const answered = await user.get(asked.task_id);
  const { sha256 } = await user.upload(new Blob(["bytes from a page"]), { name: "page.txt" });
  const streamed = await user.upload(new Blob(["a stream"]).stream());
  const refused: unknown = await user.send("nobody", "x").catch((error: unknown) => error);
  const { task_id } = await user.send("page", "wait");
  await begun;
  await user.cancel(task_id);
  await worker.stop();
  stop.abort();
  await following;
  const text = async (hash: string) => new TextDecoder().decode(await user.bytes(hash));
  return {
    result: sent.task.result,
    answer: last === "replied" ? answered.task.result : last,
    events: replies.includes(sent.task_id),
    download: await text(sha256),
    streamed: await text(streamed.sha256),
    error: refused instanceof AliasNotFound ? `${refused.name} ${refused.code} ${refused.status}` : String(refused),
    cancelled: why,
  };
}
