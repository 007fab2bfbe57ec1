// Runs the command line: as a user does, in a separate process, or in the process of the test.

import { spawn } from "node:child_process";
import { join } from "node:path";

import type { CliContext } from "#cli/context.ts";
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

/** The result of a command that ran in the process of the test. `output` has the lines of both streams in their order. */
export interface InProcessResult extends CommandResult {
  code: number;
  output: string;
}

/** Runs `threadhold …` without a process of its own, which takes a third of a processor second. */
export async function runInProcess(
  parameters: readonly string[],
  context: Partial<CliContext> = {},
): Promise<InProcessResult> {
  const printed = { stdout: "", stderr: "" };
  const lines: string[] = [];
  const printTo = (stream: keyof typeof printed) => (text: string) => {
    printed[stream] += `${text}\n`;
    lines.push(text);
  };
  const code = await runCli(parameters, {
    env: {},
    cwd: packageRoot,
    packageRoot,
    version: "test",
    print: printTo("stdout"),
    printError: printTo("stderr"),
    colours: false,
    self: ["false"],
    ...context,
  });
  return { code, ...printed, output: lines.join("\n") };
}
