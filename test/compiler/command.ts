// Runs the command line: as a user does, in a separate process, or in the process of the test.

import { spawn } from "node:child_process";
import { join } from "node:path";

import { runCli } from "#cli/run-cli.ts";

import { packageRoot } from "./temporary-project.ts";

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs `threadhold …` from the sources. */
export function runCommand(parameters: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<CommandResult> {
  const child = spawn(process.execPath, [join(packageRoot, "scripts/threadhold.mjs"), ...parameters], {
    env: { PATH: process.env.PATH, ...env },
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (output.stdout += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => (output.stderr += chunk.toString("utf8")));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...output }));
  });
}

/** Runs `threadhold …` without a process of its own, which takes a third of a processor second. */
export async function runInProcess(parameters: readonly string[]): Promise<CommandResult> {
  const output = { stdout: "", stderr: "" };
  const code = await runCli(parameters, {
    env: {},
    cwd: packageRoot,
    packageRoot,
    version: "test",
    print: (text) => (output.stdout += `${text}\n`),
    printError: (text) => (output.stderr += `${text}\n`),
    colours: false,
    self: ["false"],
  });
  return { code, ...output };
}
