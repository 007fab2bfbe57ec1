// What work cost, one line for each case, printed when a file is through.

import { afterAll, onTestFinished } from "vitest";

import { registry } from "../worker/definitions.ts";
import { holds } from "./team-driver.ts";
import { alarmOf, converse, stubOf } from "./thread-driver.ts";

/** Rows of one piece of work. */
export interface Cost {
  read: number;
  written: number;
  alarms: number;
}

const lines: { what: string; cost: string; bound: string }[] = [];

/** What the object's storage was asked for by some work. An object that is made meanwhile starts from nothing. */
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

/** Waits until the catalog has everything of a thread and the thread has no alarm: nothing more is written then. */
export function settled(id: string): Promise<unknown> {
  return holds(async () => (await alarmOf(id)) === null);
}

/** Sends a message and waits until the thread has written everything that follows from it. */
export async function finish(id: string, text: string): Promise<void> {
  await converse(id, text);
  await settled(id);
}

/** Threads that are opened until the test is over have no `filter_messages` hook, which reads rows of its own. */
export function withoutFilterHook(): void {
  const { hooks } = registry;
  Object.assign(registry, { hooks: hooks.filter(({ hook }) => hook !== "filter_messages") });
  onTestFinished(() => void Object.assign(registry, { hooks }));
}

/** Puts a case into the table. */
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
