// The dependency graph of a step's calls, for random calls.

import fc from "fast-check";
import { expect, it } from "vitest";

import { schedule } from "#core/tools/schedule.ts";
import type { ScheduledCall } from "#core/tools/schedule.ts";

const name = fc.constantFrom("a", "b", "c", "d", "e");
const call: fc.Arbitrary<ScheduledCall> = fc.record({
  name,
  sequential: fc.boolean(),
  dependsOn: fc.uniqueArray(name, { maxLength: 2 }),
});
const mode = fc.oneof(
  fc.constantFrom("sequential" as const, "parallel" as const),
  fc.record({ batched: fc.integer({ min: -1, max: 4 }) }),
);

/** The order in which calls can start if each ends at once; shorter than the list if some can never start. */
function startOrder(waitsFor: readonly ReadonlySet<number>[]): number[] {
  const done: number[] = [];
  for (;;) {
    const next = waitsFor.findIndex(
      (others, at) => !done.includes(at) && [...others].every((other) => done.includes(other)),
    );
    if (next === -1) return done;
    done.push(next);
  }
}

it("Every call of a step starts eventually, whatever the dependencies between calls", () => {
  fc.assert(
    fc.property(fc.array(call, { maxLength: 8 }), mode, (calls, given) => {
      return startOrder(schedule(calls, given).waitsFor).length === calls.length;
    }),
    { numRuns: 500 },
  );
});

it("A call starts after the calls that it depends on if there is no cycle, and a sequential call runs alone", () => {
  fc.assert(
    fc.property(fc.array(call, { maxLength: 8 }), mode, (calls, given) => {
      const { waitsFor, cycle } = schedule(calls, given);
      const before = (first: number, second: number): boolean =>
        waitsFor[second]?.has(first) === true || [...(waitsFor[second] ?? [])].some((other) => before(first, other));
      return calls.every((one, at) =>
        calls.every((other, index) => {
          if (at === index) return true;
          if (!cycle && one.dependsOn.includes(other.name) && !before(index, at)) return false;
          const alone = one.sequential || other.sequential || given === "sequential";
          return !alone || before(at, index) || before(index, at);
        }),
      );
    }),
    { numRuns: 500 },
  );
});

it("The order of a thousand calls is found with at most two comparisons for each pair of calls", () => {
  let reads = 0;
  const counted = (remote: boolean): ScheduledCall[] =>
    Array.from({ length: 1000 }, (_, index) => ({
      name: index % 2 === 0 ? "a" : "b",
      sequential: false,
      remote,
      get dependsOn() {
        reads += 1;
        return index % 2 === 0 ? ["b"] : [];
      },
    }));
  for (const remote of [false, true]) {
    reads = 0;
    const { waitsFor, cycle } = schedule(counted(remote), "parallel");
    expect([cycle, waitsFor[0]?.size, waitsFor[1]?.size]).toEqual([false, 500, 0]);
    // Each call paired with each call before it, once or twice.
    expect(reads).toBeLessThan(2 * 1000 * 1000);
  }
});
