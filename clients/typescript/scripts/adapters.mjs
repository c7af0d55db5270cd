// Tests the adapters with the real packages, in adapters/: installs them if they are not there, puts the built package beside them
// as `npm install` would, compiles the adapters' sources, the tests and the README's examples against their types, and runs the
// tests.

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL("..", import.meta.url));
const folder = `${here}/adapters`;
const run = (...args) => execFileSync(process.execPath, args, { cwd: here, stdio: "inherit" });

run("scripts/build.mjs");
const wanted = readFileSync(`${folder}/package-lock.json`, "utf8");
const stamp = `${folder}/node_modules/made-from`;
if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) {
  const flags = ["--ignore-scripts", "--loglevel=error", "--fetch-timeout=120000", "--fetch-retries=2"];
  execFileSync("npm", ["ci", ...flags], { cwd: folder, stdio: "inherit" });
  writeFileSync(stamp, wanted);
}

const installed = `${folder}/node_modules/baton-hub-client`;
rmSync(installed, { recursive: true, force: true });
for (const part of ["dist", "package.json"]) cpSync(`${here}/${part}`, `${installed}/${part}`, { recursive: true });

rmSync(`${folder}/build`, { recursive: true, force: true });
cpSync(`${here}/src`, `${folder}/build/source`, {
  recursive: true,
  filter: (path) => !path.endsWith("peers.d.ts") && !path.includes("/src/node"),
});
mkdirSync(`${folder}/build/test`);
mkdirSync(`${folder}/build/readme`);
cpSync(`${here}/test/hub.ts`, `${folder}/build/test/hub.ts`);
for (const file of ["adapters.test.ts", "scripted-claude.ts"])
  cpSync(`${folder}/${file}`, `${folder}/build/test/${file}`);
const examples = readFileSync(`${here}/README.md`, "utf8").matchAll(
  /<!-- type-checked with.*?-->\n```ts\n([\s\S]*?)```/g,
);
let count = 0;
for (const [, code] of examples) {
  count += 1;
  writeFileSync(`${folder}/build/readme/example-${count}.ts`, code);
}
run("node_modules/typescript/bin/tsc", "-p", "adapters");
const binary = process.env.BATON_TEST_BINARY ?? fileURLToPath(new URL("../../../target/debug/baton", import.meta.url));
const args = ["--test", "--test-timeout=120000", "--test-reporter=spec", "adapters/build/test/adapters.test.js"];
const ended = spawnSync(process.execPath, args, {
  cwd: here,
  stdio: "inherit",
  env: { ...process.env, BATON_TEST_BINARY: binary },
});
process.exit(ended.status ?? 1);
