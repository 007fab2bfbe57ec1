// Runs several vitest processes side by side, each in a process group of its own, until a deadline, and adds up their results.

import { appendFileSync, createWriteStream, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";

import { importCli } from "./cli-bundle.mjs";
import { makeMemoryFolder } from "./memory-folder.mjs";
import { fromRoot } from "./paths.mjs";
import { provokedLines } from "./provoked-lines.mjs";
import { startSupervised } from "./supervised-group.mjs";
import { countTests, failedTests } from "./test-count.mjs";
import { compileCacheEnvironment, compilerEnvironment, tools, wranglerEnvironment } from "./tools.mjs";

/** Arguments of a vitest that runs only projects outside of the Workers runtime. */
export const outsideOfRuntime = ["--config", fromRoot("test/node.config.ts")];

/**
 * @typedef {object} Lane one vitest
 * @property {string[]} args
 * @property {boolean} [computes] whether its tests compute most of the time; it then leaves the processors to lanes that wait for programs
 * @property {boolean} [stores] whether its tests write to databases all the time; their temporary folder is then in memory, where possible
 */

/**
 * Runs the lanes. The last printed line has the numbers of passed and failed tests.
 *
 * @param {Lane[]} lanes they run side by side
 * @param {{ deadlineMinutes: number, report: string, env?: Record<string, string> }} options a test that never ends, such as an endless
 *   loop inside the runtime, is beyond vitest's own time limits; `report` begins the names of files that only this run writes: each
 *   lane's report, and all that it printed
 * @returns {Promise<number>} the exit code
 */
export async function runVitest(lanes, { deadlineMinutes, report, env = {} }) {
  const memory = lanes.some(({ stores }) => stores === true) ? makeMemoryFolder() : undefined;
  const inMemory = memory === undefined ? {} : { TMPDIR: memory.path };
  const groups = await Promise.all(
    lanes.map((lane, at) =>
      startLane(lane, { files: `${report}.${at}`, env: lane.stores === true ? { ...env, ...inMemory } : env }),
    ),
  );
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
  memory?.remove();

  const ended = groups.map(({ reportFile }, at) => ({ found: readReport(reportFile), code: codes[at] ?? 1 }));
  const counts = ended.map(({ found, code }) => countTests(found, code));
  // Printed at the end, because a failure far up in a long log is not seen. The variable FAILED_TESTS names a file for the same lines.
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

/** Starts the vitest of a lane. Messages of the runtime about faults that tests cause on purpose are written only to the lane's log. */
async function startLane({ args, computes = false }, { files, env }) {
  const [reportFile, logFile] = [fromRoot(`${files}.json`), fromRoot(`${files}.log`)];
  // A report of an earlier run must never be counted as this one's.
  rmSync(reportFile, { force: true });
  mkdirSync(path.dirname(logFile), { recursive: true });
  const log = createWriteStream(logFile);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`];
  const { passLines } = await importCli("dev/pass-lines");
  const vitest = await startSupervised([process.execPath, fromRoot(tools.vitest), "run", ...reporters, ...args], {
    ...wranglerEnvironment,
    ...compilerEnvironment,
    ...compileCacheEnvironment(),
    ...(process.stdout.isTTY ? { FORCE_COLOR: "1" } : {}),
    ...env,
  });
  for (const [from, to] of /** @type {const} */ ([
    [vitest.stdout, process.stdout],
    [vitest.stderr, process.stderr],
  ])) {
    from.pipe(log, { end: false });
    passLines(from, (line) => to.write(`${line}\n`), { noise: provokedLines() });
  }
  void vitest.ended.then(() => log.end());
  if (computes && vitest.pid !== undefined) await lowerPriority(vitest.pid);
  return { vitest, reportFile, logFile };
}

/**
 * Gives a process that has just started, and all that it starts, less of the processors than other processes get. The whole run ends
 * earlier: a lane that waits for programs is the longest, and continues at once when a program answers.
 *
 * @param {number} pid the leader of a session
 */
async function lowerPriority(pid) {
  const nice = 5;
  const session = `/proc/${pid}/autogroup`;
  try {
    setPriority(pid, nice);
    // Linux may share the processors among sessions. The priorities of processes then count only inside their session.
    if (existsSync(session)) await writeWhenFree(session, String(nice));
  } catch (error) {
    // The process has ended, or the system does not permit the change. Without it the lanes share the processors evenly.
    const hasNoPriority = ["ESRCH", "ENOENT", "EACCES", "EPERM", "EROFS"].includes(error.info?.code ?? error.code);
    if (!hasNoPriority) throw error;
  }
}

/** Linux accepts one such change of a user within 100 milliseconds. */
async function writeWhenFree(file, text) {
  for (let left = 20; ; left -= 1) {
    try {
      return writeFileSync(file, text);
    } catch (error) {
      if (error.code !== "EAGAIN" || left === 0) throw error;
      await wait(100);
    }
  }
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
