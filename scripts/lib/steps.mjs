// Runs independent steps, a few at a time, and reports each in one line. The output of failed steps is shown in full at the end.

import { availableParallelism } from "node:os";

/** @typedef {{ name: string, run: () => Promise<{ code: number, output: string }> }} Step */

/**
 * @param {Step[]} steps started in this order, so the slowest belongs first
 * @param {{ write?: (text: string) => void, width?: number }} [options]
 * @returns {Promise<number>} how many failed
 */
export async function runSteps(steps, options = {}) {
  const write = options.write ?? ((text) => process.stdout.write(text));
  const width = options.width ?? Math.max(2, Math.min(4, availableParallelism()));
  const waiting = [...steps];
  /** @type {{ name: string, output: string }[]} */
  const failures = [];
  const started = performance.now();
  const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

  async function work() {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      const since = performance.now();
      const { code, output } = await step.run();
      write(`${code === 0 ? "ok  " : "FAIL"}  ${step.name.padEnd(28)} ${seconds(since).padStart(7)}\n`);
      if (code !== 0) failures.push({ name: step.name, output });
    }
  }
  await Promise.all(Array.from({ length: width }, work));

  for (const failure of failures) write(`\n── ${failure.name} ──\n${failure.output.trimEnd()}\n`);
  const verdict = failures.length === 0 ? "All checks passed" : `${failures.length} of ${steps.length} checks failed`;
  write(`\n${verdict} in ${seconds(started)}.\n`);
  return failures.length;
}
