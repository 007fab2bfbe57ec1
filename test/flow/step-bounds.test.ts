// The maximum number of steps of a run.

import { expect, it } from "vitest";

import { runBound } from "#flow/strategy/step-bounds.ts";
import type { AnyAgentDefinition } from "#spec/index.ts";

const one = (side: object = {}): AnyAgentDefinition => ({ name: "one", sideA: { prompt: "p", ...side } });
const two = (a: object, b: object, extra: object = {}): AnyAgentDefinition => ({
  name: "two",
  type: "dual_ai",
  sideA: { prompt: "p", ...a },
  sideB: { prompt: "p", ...b },
  ...extra,
});
const ceiling = { requested: undefined, ceiling: 250 };

it("The deployment's limit of 250 steps applies unless the agent limits the steps of each side and, with two sides, the turns", () => {
  expect(runBound(one(), false, ceiling)).toBe(250);
  expect(runBound(one({ maxSteps: 5 }), false, ceiling)).toBeNull();
  expect(runBound(one({ maxSteps: 5 }), true, ceiling)).toBe(250);
  const bounded = { maxSteps: 5 };
  expect(runBound(two(bounded, bounded), false, ceiling)).toBe(250);
  expect(runBound(two(bounded, {}, { maxSessionTurns: 4 }), false, ceiling)).toBe(250);
  expect(runBound(two(bounded, bounded, { maxSessionTurns: 4 }), false, ceiling)).toBeNull();
});

it("A caller's limit of steps replaces the deployment's limit, and null removes it", () => {
  expect(runBound(one(), false, { requested: 3, ceiling: 250 })).toBe(3);
  expect(runBound(one(), false, { requested: null, ceiling: 250 })).toBeNull();
  expect(runBound(one(), false, { requested: undefined, ceiling: null })).toBeNull();
});
