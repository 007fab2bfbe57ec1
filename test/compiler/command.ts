// Runs the command line as a user does, in a separate process.

import { spawn } from "node:child_process";
import { join } from "node:path";

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
