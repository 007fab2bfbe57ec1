// Measures how much a page computes during an action: processor time of its main thread for each frame, from Chromium's trace. Elapsed
// time would include other load on the machine.

/**
 * @typedef {import("playwright-core").Page} Page
 * @typedef {object} TraceEvent
 * @property {string} name
 * @property {string} ph
 * @property {number} pid
 * @property {number} tid
 * @property {number} ts
 * @property {number} [tdur] microseconds of the thread's processor time
 * @property {{ name?: string }} [args]
 */

const categories = ["disabled-by-default-devtools.timeline", "__metadata"];

/**
 * Milliseconds of work of each frame while `act` runs: everything the main thread does between two drawings.
 * @param {Page} page @param {() => Promise<void>} act
 * @returns {Promise<number[]>}
 */
export async function workDuring(page, act) {
  const session = await page.context().newCDPSession(page);
  /** @type {TraceEvent[]} */
  const events = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(.../** @type {any} */ (value)));
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: categories },
  });
  await act();
  const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  await session.send("Tracing.end");
  await complete;
  await session.detach();
  return frames(mainThread(events));
}

/** The busiest thread of the page; the others are idle. @param {readonly TraceEvent[]} events */
function mainThread(events) {
  const threads = events.filter(
    ({ ph, name, args }) => ph === "M" && name === "thread_name" && args?.name === "CrRendererMain",
  );
  const perThread = threads.map(({ pid, tid }) => events.filter((event) => event.pid === pid && event.tid === tid));
  const weight = (all) => all.reduce((sum, { tdur }) => sum + (tdur ?? 0), 0);
  return perThread.toSorted((one, other) => weight(other) - weight(one))[0] ?? [];
}

/** @param {readonly TraceEvent[]} events */
function frames(events) {
  const all = [0];
  for (const { name, tdur } of events.toSorted((one, other) => one.ts - other.ts)) {
    if (name === "Commit") all.push(0);
    if (name === "RunTask") all[all.length - 1] = (all.at(-1) ?? 0) + (tdur ?? 0) / 1000;
  }
  return all;
}
