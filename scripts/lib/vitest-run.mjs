// Runs vitest in a process group of its own, as long as a deadline allows, and counts what it says.

import { appendFileSync, readFileSync, rmSync } from "node:fs";

import { fromRoot } from "./paths.mjs";
import { startGroup } from "./process-group.mjs";
import { countTests, failedTests } from "./test-count.mjs";
import { tools, wranglerEnvironment } from "./tools.mjs";

/**
 * Ends with one plain line that says how many passed and failed.
 *
 * @param {string[]} args
 * @param {{ deadlineMinutes: number, report: string, env?: Record<string, string> }} options a test that never ends, such as an endless
 *   loop inside the runtime, is beyond vitest's own time limits; `report` is a file that only this run writes
 * @returns {Promise<number>} the exit code
 */
export async function runVitest(args, { deadlineMinutes, report, env = {} }) {
  const reportFile = fromRoot(report);
  // A report of an earlier run must never be counted as this one's.
  rmSync(reportFile, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`];
  const vitest = startGroup(process.execPath, [fromRoot(tools.vitest), "run", ...reporters, ...args], {
    ...wranglerEnvironment,
    ...(process.stdout.isTTY ? { FORCE_COLOR: "1" } : {}),
    ...env,
  });
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
    process.on(signal, () => vitest.signal(signal));
  }
  vitest.stdout.pipe(process.stdout);
  vitest.stderr.pipe(process.stderr);
  const deadline = setTimeout(() => {
    console.error(`The tests were ended after ${deadlineMinutes} minutes.`);
    vitest.signal("SIGKILL");
  }, deadlineMinutes * 60_000);
  const code = await vitest.ended;
  clearTimeout(deadline);

  const found = readReport(reportFile);
  const count = countTests(found, code);
  // Last, and once more where somebody gathers them: what is far up in a long log is not seen.
  for (const line of failedTests(found, code)) {
    console.log(line);
    const gathered = process.env.FAILED_TESTS;
    if (gathered !== undefined) appendFileSync(gathered, `${line}\n`);
  }
  if (count.skipped > 0) console.log(`${count.skipped} skipped`);
  console.log(`${count.passed} passed, ${count.failed} failed`);
  return code === 0 && count.failed > 0 ? 1 : code;
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
