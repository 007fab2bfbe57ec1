// What bounds a run and its thread: limits of agent, side, request and deployment.

import { describe, expect, it } from "vitest";

import { noBounds } from "#core/limits/amounts.ts";
import { firmBounds, onLimit, runBounds, threadBounds } from "#flow/strategy/limit-bounds.ts";
import type { AnyAgentDefinition, Limits, SideConfig } from "#spec/index.ts";

const deployment = { run: { ...noBounds, steps: 250, tokens: 900 }, thread: { ...noBounds, cost: 5 } };

function speaking(agent: Partial<AnyAgentDefinition>, side: Partial<SideConfig> = {}, isHandedOver = false) {
  const sideA = { prompt: "p", ...side };
  return { agent: { name: "one", sideA, ...agent }, side: sideA, isHandedOver };
}

/** A request without limits. */
const noLimits = { limits: null };

const own: Limits = { steps: 20, turns: 3, tokens: 800, durationMs: 1000, cost: 2 };

it("LIMIT7 A run has the limits of its agent, a limit that the active side sets replaces the agent's, and no limit exceeds the deployment's", () => {
  const all = { steps: 20, turns: 3, tokens: 800, duration_ms: 1000, cost: 2 };
  expect(runBounds(speaking({ limits: own }), noLimits, deployment)).toEqual(all);
  expect(runBounds(speaking({ limits: own }, { limits: { tokens: 5000, cost: null } }), noLimits, deployment)).toEqual({
    ...all,
    tokens: 900,
    cost: null,
  });
  expect(runBounds(speaking({}), noLimits, deployment)).toEqual(deployment.run);
  expect(threadBounds(speaking({ threadLimits: own }).agent, deployment)).toEqual(all);
  expect(threadBounds(speaking({ threadLimits: { cost: 9 } }).agent, deployment)).toEqual(deployment.thread);
});

it("LIMIT8 A caller's limit replaces the deployment's, and never lifts the agent's", () => {
  const requested = { steps: 400, tokens: null, cost: 1 };
  expect(runBounds(speaking({}), { limits: requested }, deployment)).toEqual({ ...noBounds, steps: 400, cost: 1 });
  expect(runBounds(speaking({ limits: own }), { limits: requested }, deployment)).toMatchObject({
    steps: 20,
    tokens: 800,
    cost: 1,
  });
});

it("LIMIT7 A limit of steps applies to the run, and the deployment's applies too unless maxSteps of the side bounds the run", () => {
  expect(runBounds(speaking({}, { maxSteps: 4 }), noLimits, deployment).steps).toBeNull();
  expect(runBounds(speaking({}, { maxSteps: 4 }, true), noLimits, deployment).steps).toBe(250);
  expect(runBounds(speaking({}, { maxSteps: 4, limits: { steps: 300 } }), noLimits, deployment).steps).toBe(300);
  expect(runBounds(speaking({ limits: { steps: 300 } }), noLimits, deployment).steps).toBe(250);
});

it("LIMIT7 The caller's setting decides first whether a run waits at its limit, then the side's, then the agent's", () => {
  const agent = { limits: { onLimit: "rest" } as const };
  expect(onLimit(speaking({}), null)).toBe("end");
  expect(onLimit(speaking(agent), null)).toBe("rest");
  expect(onLimit(speaking(agent, { limits: { onLimit: "end" } }), { steps: 1 })).toBe("end");
  expect(onLimit(speaking(agent), { on_limit: "end" })).toBe("end");
});

describe("limits at which a run waits", () => {
  const suspended = (limits: Limits) => speaking({ limits: { ...limits, onLimit: "rest" } });

  it("LIMIT25 A raised limit replaces an agent's limit if the agent makes runs wait at limits", () => {
    const requested = { limits: { tokens: 850, steps: 5 }, raised: ["tokens" as const] };
    expect(runBounds(suspended(own), requested, deployment)).toMatchObject({ tokens: 850, steps: 5, turns: 3 });
    expect(runBounds(speaking({ limits: own }), requested, deployment)).toMatchObject({
      tokens: 800,
      steps: 5,
      turns: 3,
    });
  });

  it("LIMIT25 An agent's limit cannot be raised if the agent, or the request, makes runs end at limits", () => {
    const allowed = deployment;
    const rest = { limits: { tokens: 100, on_limit: "rest" as const } };
    expect(firmBounds(speaking({}), rest, { amount: "tokens", allowed }).tokens).toBeNull();
    expect(firmBounds(speaking({ limits: own }), rest, { amount: "tokens", allowed }).tokens).toBe(800);
    expect(firmBounds(suspended(own), noLimits, { amount: "tokens", allowed }).tokens).toBeNull();
    expect(firmBounds(suspended(own), { limits: { on_limit: "end" } }, { amount: "tokens", allowed }).tokens).toBe(800);
    expect(firmBounds(speaking({}), { limits: { tokens: 100 } }, { amount: "tokens", allowed }).tokens).toBe(100);
  });
});
