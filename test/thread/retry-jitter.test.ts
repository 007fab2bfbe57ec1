// The pauses of failed background work: they double, and a random factor spreads the threads that failed at the same time.

import { afterEach, beforeEach, expect, it } from "vitest";

import { nextRetry } from "#thread/background-task.ts";

import { chance } from "../worker/chance.ts";
import { skipFor } from "../worker/clock.ts";
import { hanging } from "../worker/hanging-database.ts";
import { onPlace } from "../worker/places.ts";
import { quietly } from "./fault-stage.ts";
import { waitFor } from "./team-driver.ts";
import { admin, alarmOf, newThread, stubOf } from "./thread-driver.ts";

let quiet: ReturnType<typeof quietly>;

beforeEach(() => {
  quiet = quietly();
});

afterEach(() => {
  chance.next = 0.5;
  onPlace(null);
  hanging.end();
  quiet.loud();
});

it("RETRY4 The pause after a failure doubles up to a longest one and is multiplied by a random factor from 0.5 to 1.5", () => {
  const pauses = { firstMs: 1000, longestMs: 5000 };
  const clock = { now: () => 7_000_000 };
  const pause = (failures: number, random: number) =>
    (nextRetry({ failures }, { clock: clock as never, random: () => random }, pauses).at - 7_000_000) / 1000;
  expect([0, 1, 2, 3, 9].map((failures) => pause(failures, 0.5))).toEqual([1000, 2000, 4000, 5000, 5000]);
  expect([0, 0.25, 0.5, 0.75].map((random) => pause(0, random))).toEqual([500, 750, 1000, 1250]);
  expect(pause(9, 0.999)).toBe(7495);
});

/** The alarm of a thread whose work `name` fails, in milliseconds after the failure at a clock that is ahead. */
async function pauseAfter(name: string, random: number): Promise<number> {
  const id = await newThread("parallel");
  // The platform fires no alarm meanwhile.
  skipFor(id, 3_600_000);
  chance.next = random;
  const failed = Date.now() + 3_600_000;
  onPlace((place) => (place.thread === id && place.name === name ? Promise.reject(new Error("fails")) : undefined));
  await (name === "before forget"
    ? stubOf(id).call("remove", admin)
    : stubOf(id).call("patch", admin, { title: "changed" }));
  // While the work is done, an alarm for the case of a crash is set 15 s ahead.
  return waitFor(async () => {
    const alarm = await alarmOf(id);
    const after = (alarm ?? Infinity) - failed;
    return after < 13_000 && after;
  });
}

it.each([
  ["the catalog's update", "after flush", 5000],
  ["the deletion", "before forget", 2000],
])("RETRY4 After a failure of %s, threads return at different times", async (_what, name, first) => {
  const [early, late] = [await pauseAfter(name, 0), await pauseAfter(name, 0.99)];
  expect(Math.round(early / 100) * 100).toBeGreaterThanOrEqual(first * 0.5 - 100);
  expect(late - early).toBeGreaterThan(first * 0.5);
});
