// Runs one command to its end. It uses no shell, so arguments reach the program unchanged.

import { spawn } from "node:child_process";

import { fromRoot, root } from "./paths.mjs";

/**
 * @typedef {{ code: number, output: string }} CommandResult
 * @typedef {{ quiet?: boolean, env?: Record<string, string>, cwd?: string }} CommandOptions
 */

/**
 * Contract: never rejects. A program that cannot start is code 127, one ended by a signal is code 1.
 * If `quiet` is true, the output is collected; otherwise it goes to the terminal and `output` is empty.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {CommandOptions} [options]
 * @returns {Promise<CommandResult>}
 */
export function runCommand(program, args, options = {}) {
  const quiet = options.quiet ?? false;
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: options.cwd ?? root,
      env: { ...process.env, ...options.env },
      stdio: quiet ? ["ignore", "pipe", "pipe"] : ["ignore", "inherit", "inherit"],
    });
    let output = "";
    child.stdout?.on("data", (chunk) => (output += chunk));
    child.stderr?.on("data", (chunk) => (output += chunk));
    child.on("error", (error) => resolve({ code: 127, output: `${output}${error.message}\n` }));
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
}

/**
 * Runs a Node program of this project, such as a tool's command in node_modules.
 *
 * @param {string} script path from the project's root
 * @param {string[]} args
 * @param {CommandOptions} [options]
 */
export const runNode = (script, args, options) => runCommand(process.execPath, [fromRoot(script), ...args], options);
