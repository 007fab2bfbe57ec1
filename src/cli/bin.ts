#!/usr/bin/env node
// The program of the package.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { runCli } from "./run-cli.ts";

const packageRoot = fileURLToPath(new URL("../..", import.meta.url)).replace(/[\\/]$/, "");

const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string };

const code = await runCli(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  packageRoot,
  version,
  print: (text) => process.stdout.write(`${text}\n`),
  printError: (text) => process.stderr.write(`${text}\n`),
  colours: process.stdout.isTTY === true && !process.env.NO_COLOR,
  self: [process.execPath, fileURLToPath(import.meta.url)],
});
// A definition may have left a timer or a socket open; the command does not wait for it.
process.stdout.write("", () => process.stderr.write("", () => process.exit(code)));
