// Builds dist/: the core without Node's types, so that what needs Node does not compile there, and then the Node entry.

import { execFileSync } from "node:child_process";
import { copyFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = new URL("..", import.meta.url);
const tsc = fileURLToPath(new URL("node_modules/typescript/bin/tsc", here));

rmSync(new URL("dist", here), { recursive: true, force: true });
for (const project of ["tsconfig.json", "tsconfig.node.json"]) {
  execFileSync(process.execPath, [tsc, "-p", project], { cwd: fileURLToPath(here), stdio: "inherit" });
}
// The package has the licence of the repository.
copyFileSync(new URL("../../LICENSE", here), new URL("LICENSE", here));
