// The cost of work, one line for each case, printed at the end of the file.

import { afterAll, onTestFinished } from "vitest";

import { registry } from "../worker/definitions.ts";
import { waitFor } from "./team-driver.ts";
import { alarmOf, converse, stubOf } from "./thread-driver.ts";

/** The rows of one piece of work. */
export interface Cost {
  read: number;
  written: number;
  alarms: number;
}

const lines: { what: string; cost: string; bound: string }[] = [];

/** The rows that the work reads and writes in the object's storage. An object that is constructed meanwhile starts at zero. */
export async function costOf(id: string, work: () => Promise<unknown>): Promise<Cost> {
  const before = await stubOf(id).rows();
  await work();
  const after = await stubOf(id).rows();
  return {
    read: after.rowsRead - before.rowsRead,
    written: after.rowsWritten - before.rowsWritten,
    alarms: after.alarms - before.alarms,
  };
}

/** Waits until the catalog has everything of a thread and the thread has no alarm: nothing is written after that. */
export function settled(id: string): Promise<unknown> {
  return waitFor(async () => (await alarmOf(id)) === null);
}

/** Sends a message and waits until the thread has made all writes that follow from it. */
export async function finish(id: string, text: string): Promise<void> {
  await converse(id, text);
  await settled(id);
}

/** Threads that are loaded before the test ends have no `filter_messages` hook, which would read more rows. */
export function withoutFilterHook(): void {
  const { hooks } = registry;
  Object.assign(registry, { hooks: hooks.filter(({ hook }) => hook !== "filter_messages") });
  onTestFinished(() => void Object.assign(registry, { hooks }));
}

/** Adds a case to the table. */
export function measured(what: string, cost: string, bound: string): void {
  lines.push({ what, cost, bound });
}

/** Prints the table at the end of the file. */
export function printCosts(): void {
  afterAll(() => {
    const width = Math.max(0, ...lines.map(({ what }) => what.length));
    console.log(lines.map(({ what, cost, bound }) => `${what.padEnd(width)}  ${cost.padEnd(24)} ${bound}`).join("\n"));
  });
}
