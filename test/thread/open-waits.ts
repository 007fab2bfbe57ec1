// The open waits of a test for what a reader receives or for a condition. A test that fails while it waits, for example at its time limit, names each open
// wait: the condition, the last events that the reader received, and the alarm and the latest runs of the thread.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { onTestFailed, TestRunner } from "vitest";

import type { RunRecord } from "#core/record/run-record.ts";
import { withinTime } from "#lib/time-limit.ts";
import { platformTimers } from "#lib/timers.ts";
import { decodeBody } from "#store/row-body.ts";

/** A wait of the current test. */
export interface Wait {
  /** What the test waits for. */
  what: string;
  /** What the reader has received; absent for a condition. */
  events?: readonly { seq: number; type: string }[];
  /** The id of the thread; absent for a feed or a condition. */
  thread?: string;
}

/** The number of events and of runs that a report shows. */
const shown = { events: 5, runs: 2 };

/** Milliseconds after which an object that does not respond is reported as such. */
const stateMs = 2000;

const open = new Set<Wait>();

/** The test that the open waits belong to. */
let current: unknown;

/** Settles as the promise does. If the current test fails before that, the test's errors name the wait. */
export function reportWait<T>(promise: Promise<T>, wait: Wait): Promise<T> {
  const test: unknown = TestRunner.getCurrentTest();
  if (test !== current) {
    open.clear();
    current = test;
    if (test !== undefined) onTestFailed(reportOpenWaits);
  }
  open.add(wait);
  return promise.finally(() => open.delete(wait));
}

async function reportOpenWaits(): Promise<void> {
  const reports: string[] = [];
  for (const { thread, what, events } of open) {
    const lines = [what];
    if (events !== undefined) {
      const last = events.slice(-shown.events).map(({ seq, type }) => `${String(seq)} ${type}`);
      lines.push(`received ${String(events.length)} events, the last: ${last.join(", ")}`);
    }
    if (thread !== undefined) lines.push(`thread ${thread}: ${await storedState(thread)}`);
    reports.push(lines.join("\n  "));
  }
  if (reports.length > 0) throw new Error(`The test failed while it waited for:\n${reports.join("\n")}`);
}

/** The alarm and the latest runs of a thread, from its storage. The thread is not loaded, so nothing in it resumes. */
function storedState(thread: string): Promise<string> {
  const stub = env.THREADS.get(env.THREADS.idFromName(thread));
  const state = runInDurableObject(stub, async (_, { storage }) => {
    const rows = storage.sql.exec<{ body: string }>("SELECT body FROM run ORDER BY id DESC LIMIT ?", shown.runs);
    const runs = [...rows].map(({ body }) => {
      const { id, status, progress } = decodeBody<RunRecord>(body);
      return `run ${id} ${status} ${JSON.stringify(progress?.suspension ?? null)}`;
    });
    const alarm = await storage.getAlarm();
    return [alarm === null ? "no alarm" : `alarm at ${new Date(alarm).toISOString()}`, ...runs].join(", ");
  });
  return withinTime(state, { timers: platformTimers, milliseconds: stateMs }).catch(
    (thrown: unknown) => `state unknown (${String(thrown)})`,
  );
}
