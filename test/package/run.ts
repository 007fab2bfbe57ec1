// Runs a program to its end, in a folder of the test's choice.

import { spawn } from "node:child_process";

export interface ProgramResult {
  code: number | null;
  /** Standard output and standard error, in the order of arrival. */
  output: string;
}

/** Runs a program. `env` is added to the variables that a program needs; nothing else of this process's environment is passed on. */
export function run(
  command: readonly [program: string, ...args: string[]],
  { cwd, env = {} }: { cwd: string; env?: NodeJS.ProcessEnv },
): Promise<ProgramResult> {
  const [program, ...args] = command;
  const { PATH, HOME, TMPDIR } = process.env;
  const registry = Object.entries(process.env).filter(([name]) => /^npm_config_/i.test(name));
  const child = spawn(program, args, {
    cwd,
    env: { PATH, HOME, TMPDIR, CI: "true", WRANGLER_SEND_METRICS: "false", ...Object.fromEntries(registry), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output }));
  });
}
