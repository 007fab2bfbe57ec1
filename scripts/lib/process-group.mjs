// A program in a process group of its own that never outlives us: see supervised.mjs for the case of our sudden death.

import { spawn } from "node:child_process";

import { fromRoot, root } from "./paths.mjs";

/**
 * @param {string} program
 * @param {string[]} args
 * @param {Record<string, string>} [env]
 */
export function startGroup(program, args, env) {
  const child = spawn(process.execPath, [fromRoot("scripts/lib/supervised.mjs"), program, ...args], {
    cwd: root,
    detached: true,
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const signal = (name) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    } catch (error) {
      // ESRCH: nobody of the group is left, which is what every caller wants in the end.
      if (error.code !== "ESRCH") throw error;
    }
  };
  /** @type {Promise<number>} */
  const ended = new Promise((resolve) => {
    child.on("error", () => resolve(127));
    // Whoever is left of the group would hold the port and the files.
    child.on("exit", () => signal("SIGKILL"));
    // Later than "exit": all that was printed has been read.
    child.on("close", (code) => resolve(code ?? 1));
  });
  return { pid: child.pid, stdout: child.stdout, stderr: child.stderr, signal, ended };
}
