// Runs a program in a process group of its own that ends with this process. supervised.mjs ends it if this process is killed.

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
      // ESRCH: no process of the group is left, which is the wanted result.
      if (error.code !== "ESRCH") throw error;
    }
  };
  /** @type {Promise<number>} */
  const ended = new Promise((resolve) => {
    child.on("error", () => resolve(127));
    // A remaining process of the group would keep the port and the files open.
    child.on("exit", () => signal("SIGKILL"));
    // "close" comes after "exit", when all output has been read.
    child.on("close", (code) => resolve(code ?? 1));
  });
  return { pid: child.pid, stdout: child.stdout, stderr: child.stderr, signal, ended };
}
