// The built program of the package with a Node that is too old.

import { spawnSync } from "node:child_process";
import { join } from "node:path";

import { expect, it } from "vitest";

import { buildProgram } from "../../scripts/lib/pack/library.mjs";
import { writeProject } from "../compiler/temporary-project.ts";

it("If an older Node runs the program threadhold, the program names the version that it needs before it loads any package", async () => {
  // No package is found from this folder.
  const folder = writeProject({ "package.json": '{ "type": "module" }' });
  await buildProgram({ threadhold: "src/cli/bin.ts" }, join(folder, "dist/cli"));
  const older = `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"18.20.0"}})`;
  const program = ["--import", older, join(folder, "dist/cli/threadhold.js"), "dev"];
  const { status, stdout, stderr } = spawnSync(process.execPath, program, { encoding: "utf8" });
  expect([status, stdout, stderr]).toEqual([
    2,
    "",
    "threadhold needs Node 20.19 or newer; this is Node 18.20.0. Install the current LTS version from https://nodejs.org.\n",
  ]);
});
