// The time limit of an input filter, and the bounds of what it returns.

import { expect, it } from "vitest";

import { filtersOf, runFilters } from "#flow/hook/input-filters.ts";
import type { InputFilter } from "#spec/index.ts";

import { ManualClock } from "../core/support/manual-clock.ts";
import { noState } from "./support/hooks.ts";

const declared = (...filters: InputFilter[]) =>
  filters.map((filter, at) => ({ file: `${at}.ts`, load: () => Promise.resolve(filter) }));

it("FILTER5 A check fails if a filter does not return within ten seconds, and later filters do not run", async () => {
  const clock = new ManualClock();
  let later = 0;
  const hanging: InputFilter = () => new Promise(() => {});
  const counting: InputFilter = () => {
    later += 1;
    return { action: "pass" };
  };
  const outcome = runFilters(declared(hanging, counting), "text", { state: noState, clock });
  await clock.advance(9999);
  expect(clock.armed).toBe(1);
  await clock.advance(1);
  expect(await outcome).toMatchObject({ type: "unchecked", file: "0.ts", problem: "did not finish within 10 s" });
  expect([later, clock.armed]).toEqual([0, 0]);
});

it("After a filter rejects a text, no later filter runs, and a long reason is shortened so that a row can store it", async () => {
  const clock = new ManualClock();
  const reject: InputFilter = () => ({ action: "reject", reason: "x".repeat(1_000_000) });
  const never: InputFilter = () => {
    throw new Error("called");
  };
  const outcome = await runFilters(declared(reject, never), "text", { state: noState, clock });
  expect(outcome.type).toBe("rejected");
  expect(JSON.stringify(outcome).length).toBeLessThan(5000);
});

it("A conversation of two models has the filters of both sides, each filter once", () => {
  const [one, two, three] = [0, 1, 2].map((): InputFilter => () => ({ action: "pass" }));
  const all = [one, two, three].flatMap((filter) => filter ?? []);
  const [first, second, third] = all;
  if (first === undefined || second === undefined || third === undefined) throw new Error("no filters");
  const agent = {
    name: "two",
    type: "dual_ai" as const,
    filters: [third],
    sideA: { prompt: "a", filters: [first, second] },
    sideB: { prompt: "b", filters: [second] },
  };
  expect(filtersOf([], agent)).toHaveLength(2);
  expect(filtersOf([], { ...agent, sideB: { prompt: "b" } })).toHaveLength(3);
  expect(filtersOf([], null)).toEqual([]);
});
