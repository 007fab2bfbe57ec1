// Measures the processor time of a Worker's start with the profiles of `wrangler check startup`.

import { readFileSync } from "node:fs";
import path from "node:path";

import { runNode } from "./run-command.mjs";
import { tools, wranglerEnvironment } from "./tools.mjs";

/** The profiler counts the time in which other programs have the processor, so several starts are measured. */
const starts = 3;

/**
 * Bundles the Worker of a folder and starts it several times.
 *
 * @param {string} folder
 * @returns {Promise<number>} the smallest processor time in whole milliseconds
 */
export async function startTime(folder) {
  const bundle = path.join(folder, "dist/worker.bundle");
  await wrangler(folder, ["deploy", "--dry-run", "--outdir", path.join(folder, "dist/started"), "--outfile", bundle]);
  const times = [];
  for (let start = 0; start < starts; start += 1) {
    const profile = path.join(folder, `dist/start-${start}.cpuprofile`);
    await wrangler(folder, ["check", "startup", "--worker", bundle, "--outfile", profile]);
    times.push(busyTime(JSON.parse(readFileSync(profile, "utf8"))));
  }
  return Math.round(Math.min(...times));
}

/**
 * The milliseconds of a profile in which the Worker was not idle.
 *
 * @param {{ nodes: { id: number, callFrame: { functionName: string } }[], samples: number[], timeDeltas: number[] }} profile
 */
function busyTime({ nodes, samples, timeDeltas }) {
  const idle = new Set(nodes.filter(({ callFrame }) => callFrame.functionName === "(idle)").map(({ id }) => id));
  const microseconds = samples.reduce((sum, node, at) => sum + (idle.has(node) ? 0 : (timeDeltas[at] ?? 0)), 0);
  if (microseconds <= 0) throw new Error("The profile of the Worker's start has no samples.");
  return microseconds / 1000;
}

/** @param {string} folder @param {string[]} args */
async function wrangler(folder, args) {
  const { code, output } = await runNode(tools.wrangler, args, { quiet: true, cwd: folder, env: wranglerEnvironment });
  if (code !== 0) throw new Error(output);
}
