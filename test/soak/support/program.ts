// Programs that are waited for.

import { spawnSync } from "node:child_process";

/** How one ended; the status is null where it could not be started. */
export function run(
  program: string,
  args: string[],
  cwd: string,
): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(program, args, { cwd, encoding: "utf8", shell: process.platform === "win32" });
}

/** What one printed. Throws when it failed. */
export function must(program: string, args: string[], cwd: string): string {
  const { status, stdout, stderr } = run(program, args, cwd);
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${String(status)}: ${stderr}`);
  return stdout.trim();
}
