// The checks and bounds of a strategy that a project defines.

import { expect, it } from "vitest";

import type { StepOutcome } from "#core/ports/strategy-port.ts";
import type { TurnStrategy } from "#core/strategy/turn-strategy.ts";
import { customStrategy } from "#flow/strategy/custom-strategy.ts";
import type { AnyStrategyDefinition } from "#spec/index.ts";

import { ManualClock } from "../core/support/manual-clock.ts";

const answer: StepOutcome = {
  message_id: "m",
  text: "rain",
  thinking: "Hm.",
  blank: false,
  stop_reason: "stop",
  usage: { input: 3, output: 2, cache_read: 0, cache_write: 0, total_tokens: 5 },
  cost: 0.5,
  data: [1],
  calls: [
    { call: { id: "c", name: "look", arguments: {} }, result: { status: "error", error: "no" } },
    { call: { id: "d", name: "look", arguments: {} }, result: { status: "success", result: "rain" } },
  ],
};

const strategy = (next: unknown, clock = new ManualClock()): TurnStrategy =>
  customStrategy(
    { name: "own", next: next as AnyStrategyDefinition["next"] },
    { clock, env: { SHOP: "open" } as never },
  );

const failed = (message: unknown) => ({ next: { type: "failed", reason: "strategy_failed", message } });

it("A custom strategy receives the last step with its calls, and the state that it returned before", async () => {
  const received: unknown[] = [];
  const own = strategy((turn: unknown) => {
    received.push(turn);
    return { type: "step", state: { count: received.length } };
  });
  const first = await own.next(null, null);
  await own.next(answer, first.state ?? null);
  expect(received).toEqual([
    { last: null, state: null, env: { SHOP: "open" } },
    {
      last: {
        messageId: "m",
        text: "rain",
        thinking: "Hm.",
        data: [1],
        calls: [
          { id: "c", name: "look", arguments: {}, isError: true, result: "no" },
          { id: "d", name: "look", arguments: {}, isError: false, result: "rain" },
        ],
        stopReason: "stop",
        tokens: { input: 3, output: 2 },
        cost: 0.5,
      },
      state: { count: 1 },
      env: { SHOP: "open" },
    },
  ]);
});

it("The fields of a strategy's decision apply to the next step or to the end of the turn", async () => {
  const plan = [{ id: "a", description: "Look.", dependsOn: [], status: "pending" }];
  const fields = { phase: "draft", silent: true, tools: ["look"], toolChoice: "required", structure: null };
  const decision = await strategy(() => ({ type: "step", ...fields, instruction: "Draft.", plan })).next(null, null);
  expect(decision).toEqual({
    next: { type: "step", shape: { ...fields, instruction: { text: "Draft.", keep: true } } },
    state: { own: null, idle: 0 },
    plan,
  });
  const end = await strategy(() => ({ type: "end", outcome: { rain: true } })).next(answer, null);
  expect(end).toEqual({ next: { type: "end", reason: "strategy", outcome: { rain: true } } });
});

it.each([
  ["throws", () => Promise.reject(new Error("Broken.")), 'The strategy "own" failed: Broken.'],
  ["returns nothing", () => undefined, expect.stringContaining('The strategy "own" failed: ')],
  ["has an unknown field", () => ({ type: "step", tool: [] }), expect.stringContaining("tool")],
  ["returns a state that is not JSON", () => ({ type: "step", state: { at: () => 1 } }), expect.any(String)],
  [
    "returns a state that contains itself",
    () => {
      const state: { self?: object } = {};
      state.self = state;
      return { type: "step", state };
    },
    expect.stringContaining('The strategy "own" failed: '),
  ],
  [
    "returns a state and a plan that together have more than 64 KiB",
    () => {
      const step = { id: "a", description: "x".repeat(40_000), dependsOn: [], status: "pending" };
      return { type: "step", state: "x".repeat(40_000), plan: [step] };
    },
    'The strategy "own" returned a state and a plan that together exceed 65536 bytes.',
  ],
  [
    "returns a plan with an unknown status",
    () => ({ type: "step", plan: [{ id: "a", description: "", dependsOn: [], status: "done" }] }),
    expect.stringContaining("status"),
  ],
  [
    "returns a state of more than 64 KiB",
    () => ({ type: "step", state: "x".repeat(70_000) }),
    'The strategy "own" returned a state and a plan that together exceed 65536 bytes.',
  ],
  [
    "returns an instruction of more than 256 KiB",
    () => ({ type: "step", instruction: "x".repeat(300_000) }),
    'The strategy "own" returned a decision of more than 262144 bytes.',
  ],
  [
    "returns an outcome of more than 256 KiB",
    () => ({ type: "end", outcome: "x".repeat(300_000) }),
    'The strategy "own" returned a decision of more than 262144 bytes.',
  ],
])("A run ends with an error if its strategy %s", async (_what, next, message) => {
  expect(await strategy(next).next(answer, null)).toEqual(failed(message));
});

it("A run ends with an error if its strategy does not decide within 30 seconds", async () => {
  const clock = new ManualClock();
  const decided = strategy(() => new Promise(() => {}), clock).next(answer, null);
  await clock.advance(30_001);
  expect(await decided).toEqual(failed('The strategy "own" failed: It did not decide within 30 seconds.'));
});

it("A custom strategy fails after 50 steps in a row without a tool call, and a tool call resets the count", async () => {
  const own = strategy(() => ({ type: "step" }));
  const silent = { ...answer, calls: [] };
  let state = (await own.next(null, null)).state ?? null;
  for (let step = 0; step < 49; step += 1) state = (await own.next(silent, state)).state ?? null;
  expect(await own.next(silent, state)).toEqual(
    failed('The strategy "own" took 50 steps in a row without a tool call.'),
  );
  expect(await own.next(answer, state)).toMatchObject({ next: { type: "step" }, state: { idle: 0 } });
});
