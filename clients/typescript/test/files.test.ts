// Files: numbers 22 to 25 of clients/BEHAVIOUR.md, and the digest that their hashes are made with.

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { access, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { agent } from "baton-hub-client";
import { Client, connect, SettingsError, saveFile, uploadFile, WrongBytes } from "baton-hub-client/node";
import { Gate, TestHub } from "./hub.js";
import { HubProxy, Stub } from "./servers.js";

let hub: TestHub;
let folder: string;
before(async () => {
  hub = await TestHub.start();
  folder = await mkdtemp(join(tmpdir(), "baton-ts-files-"));
});
after(async () => {
  await hub.stop();
  await rm(folder, { recursive: true });
});

const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

test("b22 files go with a task and come back with its reply, and their hashes are checked", async () => {
  const given = randomBytes(3_000_001);
  await writeFile(join(folder, "in.bin"), given);
  const user = await connect({ hub: hub.url, token: hub.userToken, environment: { HOME: folder } });
  const uploaded = await uploadFile(user, join(folder, "in.bin"), { mediaType: "application/x-test" });
  assert.deepEqual([uploaded.sha256, uploaded.size, uploaded.name], [hashOf(given), given.length, "in.bin"]);
  const worker = agent(
    "b22",
    async (task) => {
      const [file] = task.files;
      assert.ok(file);
      assert.deepEqual([file.name, file.size, file.mediaType], ["in.bin", given.length, "application/x-test"]);
      const bytes = await file.bytes();
      await saveFile(file, join(folder, "seen.bin"));
      const turned = await task.upload(new Blob([bytes.slice().reverse()]), { name: "out.bin" });
      return { text: "turned round", artifacts: [turned] };
    },
    { client: await hub.node("b22") },
  );
  const { task } = await user.send("b22", "turn it round", {
    artifacts: [{ sha256: uploaded.sha256 }],
    waitSeconds: 60,
  });
  assert.equal(task.result, "turned round");
  const back = task.artifacts.find((artifact) => artifact.source === "reply");
  assert.ok(back);
  assert.equal(back.name, "out.bin");
  await saveFile({ client: user, sha256: back.sha256 }, join(folder, "out.bin"));
  assert.deepEqual(await readFile(join(folder, "out.bin")), Buffer.from(given).reverse());
  assert.deepEqual(await readFile(join(folder, "seen.bin")), given);
  await assert.rejects(saveFile({ client: user, sha256: back.sha256 }, join(folder, "out.bin")), SettingsError);
  // A stream that can be read only once, and bytes that are at hand.
  const streamed = await user.upload(new Blob([given]).stream(), { name: "once.bin" });
  assert.equal(streamed.sha256, hashOf(given));
  const text = await user.upload("héllo", { name: "hello.txt" });
  assert.equal(new TextDecoder().decode(await user.bytes(text.sha256)), "héllo");
  await worker.stop();
});

test("b23 a download that broke in the middle resumes by Range", async () => {
  const bytes = randomBytes(2_000_000);
  const { sha256 } = await hub.user().upload(new Uint8Array(bytes));
  const proxy = await HubProxy.start(hub.url);
  let cuts = 0;
  proxy.hooks.cutAfter = () => (cuts++ < 3 ? 300_000 : undefined);
  const path = join(folder, "resumed.bin");
  await saveFile({ client: hub.user({ hub: proxy.url }), sha256 }, path);
  assert.deepEqual(await readFile(path), bytes);
  assert.equal(proxy.calls.length, 4);
  await proxy.close();
});

test("b24 wrong bytes are an error and leave no file", async () => {
  const stub = await Stub.start((_, response) => void response.writeHead(200).end("other bytes"));
  const client = new Client({ hub: stub.url });
  const wanted = hashOf(Buffer.from("the right bytes"));
  const path = join(folder, "wrong.bin");
  await assert.rejects(saveFile({ client, sha256: wanted }, path), WrongBytes);
  await assert.rejects(access(path));
  assert.ok((await readdir(folder)).every((name) => !name.startsWith("wrong.bin")));
  await assert.rejects(client.bytes(wanted), WrongBytes);
  await stub.close();
});

test("b25 a text and a file are shown on the task while it runs", async () => {
  const [shared, go] = [new Gate(), new Gate()];
  const worker = agent(
    "b25",
    async (task) => {
      await task.share("notes", "half done");
      await task.share("notes", ", nearly", { append: true });
      await task.share("plot.png", new Blob(["\x89PNG"]), { mediaType: "image/png", lastChunk: true });
      shared.open();
      await go.promise;
      return "done";
    },
    { client: await hub.node("b25") },
  );
  const user = hub.user();
  const { task_id } = await user.send("b25", "x");
  await shared.promise;
  const { task } = await user.get(task_id);
  assert.equal(task.status, "running");
  const work = task.artifacts?.filter((artifact) => artifact.source === "work") ?? [];
  assert.deepEqual(
    work.map((artifact) => artifact.artifact_id),
    ["notes", "notes", "plot.png"],
  );
  const texts = work.map((artifact) => (artifact.part as { text?: string } | null | undefined)?.text);
  assert.deepEqual(texts.slice(0, 2), ["half done", ", nearly"]);
  assert.equal(new TextDecoder().decode(await user.bytes(work[2]?.sha256 ?? "")), "\x89PNG");
  go.open();
  assert.equal((await user.wait(task_id, { timeoutSeconds: 30 })).task.status, "replied");
  await worker.stop();
});

test("the digest of bytes in pieces is that of all of them, whatever the pieces", async () => {
  const bytes = randomBytes(100_000);
  for (const size of [0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 128, 100_000]) {
    for (const piece of [1, 7, 64, 1_000, 100_000]) {
      if (size / piece > 2_000) continue;
      const stream = new ReadableStream<Uint8Array>({
        start(controller) {
          for (let at = 0; at < size; at += piece)
            controller.enqueue(new Uint8Array(bytes.subarray(at, Math.min(size, at + piece))));
          controller.close();
        },
      });
      const { digest } = await import("../../dist/artifacts.js" as string);
      assert.equal(await digest(stream), hashOf(bytes.subarray(0, size)), `${size} bytes by ${piece}`);
    }
  }
});
