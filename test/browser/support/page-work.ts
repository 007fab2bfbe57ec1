// How much a page works while something is done with it: processor time of its main thread, a frame at a time, as Chromium's own
// trace tells it. Time on the clock would tell how busy the machine is as well.

import type { CDPSession, Page } from "playwright-core";

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  ts: number;
  /** Microseconds of the thread's processor time. */
  tdur?: number;
  args?: { name?: string };
}

/** What was measured. */
export interface PageWork {
  frames: number;
  /** Milliseconds of work of the busiest frame: all that ran between two drawings. */
  worst: number;
}

const categories = ["disabled-by-default-devtools.timeline", "__metadata"];

/** Measures the page while `act` runs. */
export async function workDuring(page: Page, act: () => Promise<void>): Promise<PageWork> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: categories },
  });
  await act();
  await finished(session);
  await session.detach();
  return summed(mainThreadOf(events));
}

function finished(session: CDPSession): Promise<void> {
  return new Promise((resolve, reject) => {
    session.once("Tracing.tracingComplete", () => resolve());
    session.send("Tracing.end").catch(reject);
  });
}

/** Of the page that worked most: others lie still meanwhile. */
function mainThreadOf(events: readonly TraceEvent[]): TraceEvent[] {
  const threads = events.filter(({ ph, name, args }) => ph === "M" && name === "thread_name" && isMain(args?.name));
  const perThread = threads.map(({ pid, tid }) => events.filter((event) => event.pid === pid && event.tid === tid));
  const weight = (all: readonly TraceEvent[]): number => all.reduce((sum, { tdur }) => sum + (tdur ?? 0), 0);
  return perThread.toSorted((one, other) => weight(other) - weight(one))[0] ?? [];
}

function isMain(name: string | undefined): boolean {
  return name === "CrRendererMain";
}

function summed(events: readonly TraceEvent[]): PageWork {
  const ordered = events.toSorted((one, other) => one.ts - other.ts);
  const frames = [0];
  for (const { name, tdur } of ordered) {
    if (name === "Commit") frames.push(0);
    if (name === "RunTask") frames[frames.length - 1] = (frames.at(-1) ?? 0) + (tdur ?? 0) / 1000;
  }
  return { frames: frames.length, worst: Math.max(...frames) };
}
