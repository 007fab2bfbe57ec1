// What is counted, what remains, which limit is reached, and how the remaining budget is shared.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { excess } from "#core/limits/allowed.ts";
import { amountNames, eachAmount, remainingOf, noBounds, strictest } from "#core/limits/amounts.ts";
import type { Bounds, Used } from "#core/limits/amounts.ts";
import { reachedLimit, remainingTime } from "#core/limits/reached.ts";
import { limitsOfShare, reservedForChildren, shareOf } from "#core/limits/share.ts";
import { workOf } from "#core/limits/used.ts";
import { deploymentLimits } from "#worker/deployment-limits.ts";

import { messageRecord } from "../store/records.ts";

const nothing: Used = { steps: 0, turns: 0, tokens: 0, duration_ms: 0, cost: 0 };
const bound = fc.option(fc.integer({ min: 1, max: 1000 }));
const bounds = fc.record({ steps: bound, turns: bound, tokens: bound, duration_ms: bound, cost: bound });
const count = fc.integer({ min: 0, max: 1000 });
const used = fc.record({ steps: count, turns: count, tokens: count, duration_ms: count, cost: count });

const of = (run: Partial<Bounds>, spent: Partial<Used>, thread: Partial<Bounds> = {}, all: Partial<Used> = spent) => ({
  run: { bounds: { ...noBounds, ...run }, used: { ...nothing, ...spent } },
  thread: { bounds: { ...noBounds, ...thread }, used: { ...nothing, ...all } },
});

describe("a limit", () => {
  it("LIMIT1 A limit is reached at exactly its amount, and a run's limit is reported before a limit of its thread", () => {
    expect(reachedLimit(of({ tokens: 10 }, { tokens: 9 }))).toBeNull();
    expect(reachedLimit(of({ tokens: 10 }, { tokens: 10 }))).toBe("max_tokens");
    expect(reachedLimit(of({ tokens: 10 }, { tokens: 10 }, { steps: 1 }, { steps: 5 }))).toBe("max_tokens");
    const reasons = amountNames.map((name) => reachedLimit(of({}, {}, { [name]: 1 }, { [name]: 1 })));
    expect(reasons).toEqual(["thread_steps", "thread_turns", "thread_tokens", "thread_duration", "thread_cost"]);
    expect(reachedLimit(of({}, { tokens: 1e12, steps: 1e9, cost: 1e9 }))).toBeNull();
  });

  it("LIMIT4 A limit of money does not depend on the last binary digit of a sum", () => {
    const cost = Array.from({ length: 5 }, () => 0.00014).reduce((sum, one) => sum + one, 0);
    expect(cost).toBeLessThan(0.0007);
    expect(reachedLimit(of({ cost: 0.0007 }, { cost }))).toBe("max_cost");
  });

  it.each([0.25, 1, 400])(
    "LIMIT4 A limit of %d USD is reached when less than a billionth of it remains, and not when more remains",
    (limit) => {
      const reachedWith = (remaining: number) => reachedLimit(of({ cost: limit }, { cost: limit * (1 - remaining) }));
      expect([0.9e-9, 1.1e-9].map(reachedWith)).toEqual(["max_cost", null]);
    },
  );

  it("LIMIT7 The strictest of several values for one limit applies", () => {
    fc.assert(
      fc.property(fc.array(bounds, { maxLength: 4 }), (all) => {
        const strict = strictest(...all);
        for (const name of amountNames) {
          const given = all.flatMap((one) => one[name] ?? []);
          expect(strict[name]).toBe(given.length === 0 ? null : Math.min(...given));
        }
      }),
    );
  });

  it("LIMIT14 The remaining time is that of the stricter limit, the run's or the thread's, and is never negative", () => {
    expect(remainingTime(of({}, { duration_ms: 5 }))).toBeNull();
    expect(remainingTime(of({ duration_ms: 8 }, { duration_ms: 5 }, { duration_ms: 20 }))).toEqual({
      ms: 3,
      reason: "max_duration",
    });
    expect(remainingTime(of({ duration_ms: 8 }, {}, { duration_ms: 20 }, { duration_ms: 30 }))).toEqual({
      ms: 0,
      reason: "thread_duration",
    });
  });
});

describe("a remaining budget", () => {
  it("LIMIT12 A remaining budget is shared so that all shares together never exceed it", () => {
    fc.assert(
      fc.property(bounds, used, fc.integer({ min: 1, max: 9 }), (whole, spent, shares) => {
        const left = remainingOf(whole, spent);
        const share = shareOf(left, shares);
        if (share === null) return;
        for (const name of amountNames) {
          if (left[name] === null) expect(share[name]).toBeNull();
          else expect((share[name] ?? Infinity) * shares).toBeLessThanOrEqual(left[name] * (1 + 1e-12));
          expect(share[name] === null || share[name] > 0).toBe(true);
        }
      }),
    );
  });

  it("LIMIT13 A remaining budget is not shared if one of the shares would be zero", () => {
    expect(shareOf({ ...noBounds, steps: 1 }, 2)).toBeNull();
    expect(shareOf({ ...noBounds, tokens: -5 }, 1)).toBeNull();
    expect(shareOf(remainingOf({ ...noBounds, cost: 0.1 }, { ...nothing, cost: 0.1 - 1e-17 }), 1)).toBeNull();
  });

  it("LIMIT11 A child's limits are at most its share of its parent's budget, and a limit lifted for the parent by a request is also lifted for the child", () => {
    const share = { ...noBounds, tokens: 5 };
    expect(limitsOfShare(share, null)).toEqual({ tokens: 5 });
    expect(limitsOfShare(share, { steps: null, tokens: 9 })).toEqual({ tokens: 5, steps: null });
  });

  it("LIMIT12 The budget share of an active child thread is reserved, its reported usage replaces the reservation, and an ended child thread is not counted twice", () => {
    const grant = { ...noBounds, tokens: 100, cost: 1 };
    const awaits = { kind: "child" as const, thread_id: "c", agent_id: "a", deadline: 0, delivered: null };
    const usage = { input: 3, output: 4, cache_read: 0, cache_write: 0, total_tokens: 7 };
    const work = { steps: 2, turns: 1, driven_ms: 9, paid: 0.5 };
    const emitted = { answer: { status: "success" as const }, usage, cost: null, tool_executions: 0, work };
    const row = messageRecord(1, { role: "tool", status: "started", awaits });
    const grants = { c: grant };
    expect(reservedForChildren({ grants }, [row])).toEqual({ ...nothing, tokens: 100, cost: 1 });
    expect(reservedForChildren({}, [row])).toEqual(nothing);
    const delivered = { ...row, awaits: { ...awaits, delivered: emitted } };
    expect(reservedForChildren({ grants }, [delivered])).toEqual({
      steps: 2,
      turns: 1,
      tokens: 7,
      duration_ms: 9,
      cost: 0.5,
    });
    const settled = messageRecord(2, { role: "tool", status: "complete", work });
    expect(reservedForChildren({ grants }, [settled])).toEqual(nothing);
    expect(workOf([settled], { turns: 1, driven_ms: 1, paid: 0.25 })).toEqual({
      steps: 2,
      turns: 2,
      driven_ms: 10,
      paid: 0.75,
    });
  });
});

describe("limits of a deployment", () => {
  it("LIMIT8 A caller's limits are refused if one of them exceeds what the deployment allows", () => {
    fc.assert(
      fc.property(bounds, bounds, (allowed, requested) => {
        const beyond = amountNames.find((name) => {
          const [limit, request] = [allowed[name], requested[name]];
          return limit !== null && (request === null || request > limit);
        });
        const found = excess(requested, allowed);
        expect(found?.name).toBe(beyond);
      }),
    );
    expect(excess(undefined, { ...noBounds, steps: 1 })).toBeNull();
    expect(excess({ on_limit: "rest" }, { ...noBounds, steps: 1 })).toBeNull();
  });

  it("LIMIT17 A deployment's variables set what it allows; without them only steps are bounded", () => {
    expect(deploymentLimits({})).toEqual({ run: { ...noBounds, steps: 250 }, thread: noBounds });
    const read = deploymentLimits({
      STEP_CEILING: "null",
      LIMIT_RUN_TURNS: "4",
      LIMIT_RUN_TOKENS: " 1000 ",
      LIMIT_RUN_DURATION_MS: "60000",
      LIMIT_RUN_COST: "0.25",
      LIMIT_THREAD_STEPS: "1",
      LIMIT_THREAD_TURNS: "2",
      LIMIT_THREAD_TOKENS: "1e6",
      LIMIT_THREAD_DURATION_MS: "",
      LIMIT_THREAD_COST: "null",
    });
    expect(read).toEqual({
      run: { steps: null, turns: 4, tokens: 1000, duration_ms: 60_000, cost: 0.25 },
      thread: { steps: 1, turns: 2, tokens: 1_000_000, duration_ms: null, cost: null },
    });
  });

  it.each(["many", "-1", "0", "1.5", "NaN", "Infinity", "1,000"])(
    "LIMIT18 A deployment's limit is zero, or the step ceiling its default, if the variable is %s, and the error names it",
    (value) => {
      const misread: string[] = [];
      const variables = { LIMIT_RUN_TOKENS: value, LIMIT_THREAD_STEPS: value, STEP_CEILING: value };
      const { run, thread } = deploymentLimits(variables, (name) => misread.push(name));
      expect([run.tokens, thread.steps, run.steps]).toEqual([0, 0, 250]);
      expect(misread.toSorted()).toEqual(["LIMIT_RUN_TOKENS", "LIMIT_THREAD_STEPS", "STEP_CEILING"]);
      expect(reachedLimit({ run: { bounds: run, used: nothing }, thread: { bounds: thread, used: nothing } })).toBe(
        "max_tokens",
      );
      expect(eachAmount((name) => run[name])).toEqual(run);
    },
  );
});
