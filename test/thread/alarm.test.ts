// The object's alarm alone, with a real object's storage.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

import { meterStorage } from "#store/meter.ts";
import { Alarm } from "#thread/alarm.ts";

/** The time of the alarm after `work` on an alarm that was set to `at` before. Times are seconds after a moment in the future. */
function set(at: number | null, work: (alarm: Alarm, seconds: (after: number) => number) => void) {
  const base = Date.now() + 3_600_000;
  const seconds = (after: number) => base + after * 1000;
  return runInDurableObject(env.THREADS.get(env.THREADS.newUniqueId()), async (_, { storage }) => {
    if (at !== null) await storage.setAlarm(seconds(at));
    work(new Alarm(meterStorage(storage), at === null ? null : seconds(at), base), seconds);
    const now = await storage.getAlarm();
    await storage.deleteAlarm();
    return now === null ? null : (now - base) / 1000;
  });
}

it("If an alarm is already overdue when the object is loaded, the object sets it one millisecond later, because the platform ignores a second alarm at the same time", async () => {
  const soon = (alarm: Alarm, seconds: (after: number) => number) => alarm.notAfter(seconds(10));
  expect(await set(null, soon)).toBe(10);
  expect(await set(5, soon)).toBe(5);
  expect(await set(20, soon)).toBe(10);
  // The platform treats the same time as no change.
  expect(await set(-5, soon)).toBeCloseTo(-4.999);
  expect(
    await set(-5, (alarm, seconds) => {
      alarm.fired();
      soon(alarm, seconds);
    }),
  ).toBe(10);
  expect(await set(-5, (alarm, seconds) => alarm.exactly(seconds(-5)))).toBe(-5);
  expect(await set(-5, (alarm) => alarm.clear())).toBeNull();
});

it("The time of an alarm is rounded up to a whole millisecond", async () => {
  expect(await set(null, (alarm, seconds) => alarm.notAfter(seconds(10) + 0.25))).toBe(10.001);
  expect(await set(null, (alarm, seconds) => alarm.exactly(seconds(10) + 0.75))).toBe(10.001);
});
