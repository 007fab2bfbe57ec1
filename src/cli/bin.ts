#!/usr/bin/env node
// The program of the package `threadhold`. It checks Node before it loads anything that an older Node cannot load, and runs the command line,
// which is the package `@threadhold/cli`: a deployed Worker and a program in Node need none of its dependencies.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { isOlder } from "./doctor/finding.ts";
import { oldestNode } from "./oldest-node.ts";
import type * as CommandLine from "./program.ts";

const commandLine = "@threadhold/cli";
const packageRoot = fileURLToPath(new URL("../..", import.meta.url)).replace(/[\\/]$/, "");

if (isOlder(process.versions.node, oldestNode)) {
  fail(
    `threadhold needs Node ${oldestNode.join(".")} or newer; this is Node ${process.versions.node}. Install the current LTS version from https://nodejs.org.`,
  );
} else {
  const version = versionIn(packageRoot);
  const folder = commandLineFolder();
  const install = `npm install --save-dev ${commandLine}@${version}`;
  if (folder === null) fail(`The command line is the package ${commandLine}, which is not installed. Run: ${install}`);
  else if (versionIn(folder) !== version) {
    fail(`threadhold is ${version}, and ${commandLine} is ${versionIn(folder)}. Install the same version: ${install}`);
  } else {
    const { runProgram } = (await import(pathToFileURL(join(folder, "dist/index.js")).href)) as typeof CommandLine;
    await runProgram(process.argv.slice(2), {
      packageRoot,
      version,
      self: [process.execPath, fileURLToPath(import.meta.url)],
    });
  }
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 2;
}

function versionIn(folder: string): string {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  return manifest.version;
}

/** The folder of the command line as the project resolves it, or else as this package does; null if it is not installed. */
function commandLineFolder(): string | null {
  for (const from of [join(process.cwd(), "package.json"), import.meta.url]) {
    try {
      return dirname(createRequire(from).resolve(`${commandLine}/package.json`));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  return null;
}
