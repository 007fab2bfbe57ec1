// The axis of a trace, and the sums of a run's times.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { zeroUsage } from "#contract/usage.ts";
import { duration, mark } from "#playground/kit/duration.ts";
import { axisLabels } from "#playground/trace/axis-labels.ts";
import { buildTrace } from "#playground/trace/build-trace.ts";
import { axisOf, idleOf } from "#playground/trace/time-axis.ts";
import { summaryOf, union } from "#playground/trace/trace-summary.ts";

import { at, attemptRow, callRow, runOf, numberedEvents } from "./support/streamed-events.ts";

describe("the time axis", () => {
  it("The time axis is linear if no wait is long", () => {
    const { at: place, ticks, folds } = axisOf([at(0), at(600)], [[at(100), at(200)]]);
    expect([0, 150, 300, 600].map((ms) => place(at(ms)))).toEqual([0, 0.25, 0.5, 1]);
    expect(folds).toEqual([]);
    expect(ticks.map(({ ms }) => ms)).toEqual([0, 100, 200, 300, 400, 500]);
  });

  it("A wait much longer than the work is shortened on the time axis, and its duration is shown", () => {
    const hour = 3_600_000;
    const { at: place, ticks, folds } = axisOf([at(0), at(hour + 200)], [[at(100), at(hour + 100)]]);
    expect(folds).toEqual([{ from: place(at(100)), to: place(at(hour + 100)), ms: hour }]);
    expect(place(at(100))).toBeCloseTo(0.46);
    expect(place(at(hour + 100))).toBeCloseTo(0.54);
    expect(ticks.filter(({ again }) => again).map(({ ms }) => ms)).toEqual([50]);
  });

  it("A later time is never further left on the time axis, and all times are within it, with any waits", () => {
    const interval = fc
      .tuple(fc.nat(100_000), fc.nat(10_000_000))
      .map(([from, length]) => [from, from + length] as const);
    fc.assert(
      fc.property(fc.array(interval, { maxLength: 8 }), fc.integer({ min: 1, max: 20_000_000 }), (waits, end) => {
        const { at: place, ticks, folds } = axisOf([0, end], idleOf(waits, []));
        const places = Array.from({ length: 41 }, (_, index) => place((end * index) / 40));
        expect(places).toEqual(places.toSorted((one, other) => one - other));
        expect(places[0]).toBe(0);
        expect(places.at(-1)).toBeCloseTo(1);
        expect(folds.length).toBeLessThanOrEqual(8);
        expect(ticks.every((tick) => tick.at >= 0 && tick.at <= 1)).toBe(true);
      }),
    );
  });

  it("No label of the axis covers another one or leaves the axis, with any number of waits and at any width", () => {
    const character = 7;
    const interval = fc
      .tuple(fc.nat(1_000_000), fc.nat(100_000_000))
      .map(([from, length]) => [from, from + length] as const);
    fc.assert(
      fc.property(
        fc.array(interval, { maxLength: 8 }),
        fc.integer({ min: 1, max: 200_000_000 }),
        fc.integer({ min: 60, max: 1400 }),
        (waits, end, width) => {
          const labels = axisLabels(axisOf([0, end], idleOf(waits, [])), { width, character });
          const ends = labels
            .map(({ left, text }) => [left, left + text.length * character] as const)
            .toSorted(([one], [other]) => one - other);
          for (const [at, [left, right]] of ends.entries()) {
            expect(left).toBeGreaterThanOrEqual(0);
            expect(right).toBeLessThanOrEqual(width);
            expect(left).toBeGreaterThan(ends[at - 1]?.[1] ?? -1);
          }
        },
      ),
    );
  });

  it("The label of a shortened wait replaces a label of the time axis unless there is space for both", () => {
    const hour = 3_600_000;
    const axis = axisOf([at(0), at(hour + 200)], [[at(100), at(hour + 100)]]);
    const shown = (width: number) => axisLabels(axis, { width, character: 7 }).map(({ text }) => text);
    expect(shown(1000)).toEqual(["1 h 00 m", "0", "50 ms", "+50 ms"]);
    expect(shown(200)).toEqual(["1 h 00 m", "0"]);
  });

  it("A run that only waits takes the whole width of the time axis", () => {
    const { at: place, folds } = axisOf([at(0), at(1000)], [[at(0), at(1000)]]);
    expect([place(at(0)), place(at(500)), place(at(1000))]).toEqual([0, 0.5, 1]);
    expect(folds).toEqual([{ from: 0, to: 1, ms: 1000 }]);
  });

  it("The waiting times of a run exclude the times of other work", () => {
    expect(
      idleOf(
        [[0, 100]],
        [
          [20, 30],
          [90, 200],
        ],
      ),
    ).toEqual([
      [0, 20],
      [30, 90],
    ]);
    expect(idleOf([], [[0, 1]])).toEqual([]);
  });

  it("Durations are shown in milliseconds, seconds, minutes, hours or days", () => {
    expect([0, 0.4, 12, 999.6, 1520, 12_340, 125_000, 11_520_000, 300 * 3_600_000].map(duration)).toEqual([
      "0 ms",
      "<1 ms",
      "12 ms",
      "1.00 s",
      "1.52 s",
      "12.3 s",
      "2 m 05 s",
      "3 h 12 m",
      "13 d",
    ]);
    expect([0, 50, 1500, 120_000, 5_400_000].map(mark)).toEqual(["0", "50 ms", "1.5 s", "2 m", "1.5 h"]);
  });
});

describe("the sums", () => {
  it("The totals of a trace count parallel work once, and have the tokens of the run's record", () => {
    const logs = [
      attemptRow(0, 100),
      attemptRow(300, 100, { step: 2 }),
      callRow(100, 200, { message_id: "a" }),
      callRow(150, 50, { message_id: "b" }),
    ];
    const tell = numberedEvents();
    const of = { step: 1, tool_name: "find", args: {} } as const;
    const events = [
      tell(100, { type: "tool_execution_start", ...of, tool_call_id: "a", message_id: "a" }),
      tell(150, { type: "tool_execution_start", ...of, tool_call_id: "b", message_id: "b" }),
    ];
    const run = runOf({ ended_at: at(400), usage: { ...zeroUsage, input: 25, cache_read: 75, output: 9 }, cost: 0.5 });
    const root = buildTrace({ thread_id: "t", run, logs, events: [] });
    expect(summaryOf(root, run, at(0))).toEqual({
      total_ms: 400,
      model_ms: 200,
      tool_ms: 200,
      agent_ms: 0,
      waiting_ms: 0,
      usage: run.usage,
      cost: 0.5,
      cache_share: 0.75,
    });
    const live = buildTrace({ thread_id: "t", run: runOf({ status: "running", ended_at: null }), logs: [], events });
    expect(summaryOf(live, run, at(500)).tool_ms).toBe(400);
  });

  it("Time intervals that overlap or touch are joined", () => {
    expect(
      union([
        [5, 9],
        [0, 3],
        [3, 4],
        [6, 7],
      ]),
    ).toEqual([
      [0, 4],
      [5, 9],
    ]);
  });
});
