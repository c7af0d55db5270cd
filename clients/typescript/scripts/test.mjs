// Builds and runs the tests: all of them, or the files that are named.

import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL("..", import.meta.url));
const run = (...args) => execFileSync(process.execPath, args, { cwd: here, stdio: "inherit" });

run("scripts/build.mjs");
rmSync(`${here}/build`, { recursive: true, force: true });
run("node_modules/typescript/bin/tsc", "-p", "test");
const named = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));
const flags = process.argv.slice(2).filter((argument) => argument.startsWith("-"));
const files = readdirSync(`${here}/build/test`).filter((file) => file.endsWith(".test.js"));
const wanted = files.filter((file) => named.length === 0 || named.some((name) => file.startsWith(name)));
// They wait for hubs more than they compute.
const args = [
  "--test",
  "--test-concurrency=4",
  "--test-timeout=120000",
  "--test-reporter=spec",
  ...flags,
  ...wanted.map((file) => `build/test/${file}`),
];
process.exit(spawnSync(process.execPath, args, { cwd: here, stdio: "inherit" }).status ?? 1);
