// The package as it is shipped: numbers 32 and 33 of clients/BEHAVIOUR.md, and that nothing of Node is reachable from the
// core entry.

import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { REPOSITORY, TestHub, until } from "./hub.js";
import { blocks } from "./readme.js";

const run = promisify(execFile);
const HERE = resolve(import.meta.dirname, "../..");
const NPM = ["--offline", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "baton-ts-package-"));
});
after(() => rm(folder, { recursive: true }));

test("b32 the package installs into a clean folder and imports without anything else", async () => {
  // dist/ is built before the tests start; building it here would take it away from the others.
  const packed = await run("npm", ["pack", ...NPM, "--json", "--pack-destination", folder], { cwd: HERE });
  const [{ filename, files }] = JSON.parse(packed.stdout) as [{ filename: string; files: { path: string }[] }];
  assert.ok(files.every(({ path }) => /^(dist\/|package\.json$|README\.md$|LICENSE$)/.test(path)));
  await writeFile(join(folder, "package.json"), '{"name":"clean","version":"1.0.0","type":"module","private":true}');
  await run("npm", ["install", ...NPM, join(folder, filename)], { cwd: folder });
  const { stdout } = await run("npm", ["ls", "--all", "--parseable"], { cwd: folder });
  assert.equal(stdout.trim().split("\n").length, 2, "it brings other packages along");
  const program = `
    import { Client, agent, AliasNotFound } from "baton-hub-client";
    import { connect, Client as Same } from "baton-hub-client/node";
    console.log([typeof agent, typeof connect, typeof AliasNotFound, Client === Same].join());
  `;
  await writeFile(join(folder, "import.mjs"), program);
  const imported = await run(process.execPath, ["import.mjs"], { cwd: folder });
  assert.equal(imported.stdout.trim(), "function,function,function,true");
});

test("b33 the README's examples compile and run", async () => {
  const printed = await outputs(join(HERE, "README.md"));
  assert.equal(printed[0], "done: fix the login page\nreplied done: and the logout page");
  assert.equal(printed[1], "50 painting\nthe door is blue blue");
  assert.match(printed[2] ?? "", /^copied [0-9a-f]{64}$/);
  assert.match(printed[3] ?? "", /^reply from coder event \d+$/);
  assert.match(printed[4] ?? "", /^remedy: .*GET \/api\/status/);
  assert.equal(printed.length, 5);
});

test("the guide's examples compile and run", async () => {
  assert.deepEqual(await outputs(join(REPOSITORY, "docs/sdk-typescript.md")), ["HELLO", "HELLO!"]);
});

/** What a page's examples print, run in the folder that the package was installed into, against a hub of their own. */
async function outputs(page: string): Promise<string[]> {
  const hub = await TestHub.start();
  const examples = (await blocks(page)).filter(({ note }) => !note.startsWith("type-checked with"));
  const names = await Promise.all(
    examples.map(async ({ code }, index) => {
      await writeFile(join(folder, `example-${index}.mts`), code);
      return `example-${index}`;
    }),
  );
  const flags = ["--strict", "--target", "es2022", "--module", "nodenext", "--types", "node"];
  for (const types of ["@types", "undici-types"]) {
    const place = join(folder, "node_modules", types);
    await rm(place, { force: true });
    await symlink(join(HERE, "node_modules", types), place);
  }
  const tsc = join(HERE, "node_modules/typescript/bin/tsc");
  await run(process.execPath, [tsc, ...flags, ...names.map((name) => `${name}.mts`)], { cwd: folder });
  const env = { ...process.env, HOME: folder, BATON_HUB: hub.url, BATON_TOKEN: hub.userToken };
  const beside: ChildProcess[] = [];
  const printed: string[] = [];
  for (const [index, { note }] of examples.entries()) {
    const file = `example-${index}.mjs`;
    if (note.startsWith("type-checked only")) continue;
    if (!note.startsWith("runs beside")) {
      const ended = await run(process.execPath, [file], { cwd: folder, env, timeout: 60_000 });
      printed.push(ended.stdout.trim());
      continue;
    }
    beside.push(spawn(process.execPath, [file], { cwd: folder, env, stdio: "inherit" }));
    const alias = note.split(": ")[1];
    await until(`${alias} is there`, async () => {
      for await (const one of hub.user().agents()) if (one.alias === alias && one.workers?.length) return true;
      return false;
    });
  }
  // SIGTERM stops a worker, and the program ends by itself.
  for (const child of beside) {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    assert.deepEqual(await ended, [0, null]);
  }
  await hub.stop();
  return printed;
}

test("nothing of Node is reachable from the core entry", async () => {
  const seen = new Set<string>();
  const look = async (file: string): Promise<void> => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = await readFile(file, "utf8");
    for (const [, specifier = ""] of text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)) {
      assert.ok(specifier.startsWith("./") || specifier.startsWith("../"), `${file} imports ${specifier}`);
      await look(resolve(dirname(file), specifier));
    }
    assert.doesNotMatch(text, /\bprocess\.|\bBuffer\b|\brequire\(/, file);
  };
  await look(join(HERE, "dist/index.js"));
  assert.ok(seen.size > 10 && [...seen].every((file) => !file.includes("/dist/node/")));
});
