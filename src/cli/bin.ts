#!/usr/bin/env node
// The program of the package. It checks Node before it loads anything that an older Node cannot load.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { isOlder } from "./doctor/finding.ts";
import { oldestNode } from "./oldest-node.ts";

if (isOlder(process.versions.node, oldestNode)) {
  process.stderr.write(
    `threadhold needs Node ${oldestNode.join(".")} or newer; this is Node ${process.versions.node}. Install the current LTS version from https://nodejs.org.\n`,
  );
  process.exitCode = 2;
} else {
  const { runProgram } = await import("./program.ts");
  const packageRoot = fileURLToPath(new URL("../..", import.meta.url)).replace(/[\\/]$/, "");
  const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string };
  await runProgram(process.argv.slice(2), {
    packageRoot,
    version,
    self: [process.execPath, fileURLToPath(import.meta.url)],
  });
}
