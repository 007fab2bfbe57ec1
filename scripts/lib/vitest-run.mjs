// Runs vitest in process groups of its own, as long as a deadline allows, and counts what they say together.

import { appendFileSync, createWriteStream, mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";

import { fromRoot } from "./paths.mjs";
import { startGroup } from "./process-group.mjs";
import { passOnLines, provokedLines } from "./quiet-lines.mjs";
import { countTests, failedTests } from "./test-count.mjs";
import { tools, wranglerEnvironment } from "./tools.mjs";

/**
 * Ends with one plain line that says how many passed and failed.
 *
 * @param {string[][]} lanes the arguments of each vitest; they run side by side
 * @param {{ deadlineMinutes: number, report: string, env?: Record<string, string> }} options a test that never ends, such as an endless
 *   loop inside the runtime, is beyond vitest's own time limits; `report` begins the names of files that only this run writes: each
 *   lane's report, and all that it printed
 * @returns {Promise<number>} the exit code
 */
export async function runVitest(lanes, { deadlineMinutes, report, env = {} }) {
  const groups = lanes.map((args, at) => startLane(args, { files: `${report}.${at}`, env }));
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
    process.on(signal, () => {
      for (const { vitest } of groups) vitest.signal(signal);
    });
  }
  const deadline = setTimeout(() => {
    console.error(`The tests were ended after ${deadlineMinutes} minutes.`);
    for (const { vitest } of groups) vitest.signal("SIGKILL");
  }, deadlineMinutes * 60_000);
  const codes = await Promise.all(groups.map(({ vitest }) => vitest.ended));
  clearTimeout(deadline);

  const ended = groups.map(({ reportFile }, at) => ({ found: readReport(reportFile), code: codes[at] ?? 1 }));
  const counts = ended.map(({ found, code }) => countTests(found, code));
  // Last, and once more where somebody gathers them: what is far up in a long log is not seen.
  for (const line of ended.flatMap(({ found, code }) => failedTests(found, code))) {
    console.log(line);
    const gathered = process.env.FAILED_TESTS;
    if (gathered !== undefined) appendFileSync(gathered, `${line}\n`);
  }
  for (const [at, { logFile }] of groups.entries())
    if (codes[at] !== 0) console.log(`All that was printed: ${logFile}`);
  const sum = (of) => counts.reduce((total, count) => total + count[of], 0);
  if (sum("skipped") > 0) console.log(`${sum("skipped")} skipped`);
  console.log(`${sum("passed")} passed, ${sum("failed")} failed`);
  return codes.find((code) => code !== 0) ?? (sum("failed") > 0 ? 1 : 0);
}

/** What tests provoke the runtime to say is kept in the lane's log alone. */
function startLane(args, { files, env }) {
  const [reportFile, logFile] = [fromRoot(`${files}.json`), fromRoot(`${files}.log`)];
  // A report of an earlier run must never be counted as this one's.
  rmSync(reportFile, { force: true });
  mkdirSync(path.dirname(logFile), { recursive: true });
  const log = createWriteStream(logFile);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`];
  const vitest = startGroup(process.execPath, [fromRoot(tools.vitest), "run", ...reporters, ...args], {
    ...wranglerEnvironment,
    // Compilers in Go collect garbage less often: a fifth of their processor time less, for some more memory.
    GOGC: "400",
    ...(process.stdout.isTTY ? { FORCE_COLOR: "1" } : {}),
    ...env,
  });
  for (const [from, to] of /** @type {const} */ ([
    [vitest.stdout, process.stdout],
    [vitest.stderr, process.stderr],
  ])) {
    from.pipe(log, { end: false });
    passOnLines(from, (line) => to.write(`${line}\n`), { noise: provokedLines() });
  }
  void vitest.ended.then(() => log.end());
  return { vitest, reportFile, logFile };
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
