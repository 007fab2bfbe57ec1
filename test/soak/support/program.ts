// Runs programs and waits for their end.

import { spawnSync } from "node:child_process";

/** Runs a program. The status is null if it could not be started. */
export function run(
  program: string,
  args: string[],
  cwd: string,
): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(program, args, { cwd, encoding: "utf8", shell: process.platform === "win32" });
}

/** Returns the output of a program. Throws if it failed. */
export function must(program: string, args: string[], cwd: string): string {
  const { status, stdout, stderr } = run(program, args, cwd);
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${String(status)}: ${stderr}`);
  return stdout.trim();
}
