// Runs a program in a process group of its own that ends with this process. The code for it is that of the command line `threadhold`.

import { importCli } from "./cli-bundle.mjs";
import { fromRoot, root } from "./paths.mjs";

/** @typedef {import("../../src/cli/dev/process-group.ts").ProcessGroup} ProcessGroup */

/**
 * @param {string[]} command the program and its arguments
 * @param {Record<string, string>} [env]
 * @param {string} [cwd]
 * @returns {Promise<ProcessGroup>}
 */
export async function startSupervised(command, env, cwd = root) {
  const { startGroup } = await importCli("dev/process-group");
  return startGroup([process.execPath, fromRoot("scripts/threadhold.mjs"), "supervise", "--", ...command], {
    cwd,
    env: { ...process.env, ...env },
  });
}

/**
 * The first free port from `first` on.
 *
 * @param {number} first
 * @returns {Promise<number>}
 */
export async function nextFreePort(first) {
  const ports = await importCli("dev/free-port");
  return ports.nextFreePort(first);
}
