// The decisions of the strategies of a turn, without models and threads.

import { expect, it } from "vitest";

import type { JsonObject } from "#contract/json.ts";
import type { StepOutcome } from "#core/ports/strategy-port.ts";
import { react } from "#core/strategy/react.ts";
import { loop } from "#core/strategy/turn-strategy.ts";
import type { TurnDecision, TurnNext, TurnStrategy } from "#core/strategy/turn-strategy.ts";

const none = { message_id: "m", thinking: null, stop_reason: "stop", usage: null, cost: 0 } as const;

const answers = (text: string): StepOutcome => ({ ...none, text, calls: [], blank: text === "" });

const stepWithCall: StepOutcome = {
  ...none,
  text: null,
  blank: false,
  calls: [{ call: { id: "c", name: "look", arguments: {} }, result: { status: "success", result: "rain" } }],
};

/** The decisions of a turn with these steps. Each decision is made by a new object, as after a crash. */
async function decisions(create: () => TurnStrategy, steps: readonly StepOutcome[]): Promise<TurnNext[]> {
  const made: TurnNext[] = [];
  let state: JsonObject | null = null;
  for (const last of [null, ...steps]) {
    const decision: TurnDecision = await create().next(last, state);
    state = decision.state === undefined ? null : structuredClone(decision.state);
    made.push(decision.next);
  }
  return made;
}

const phases = (made: readonly TurnNext[]) => made.map((next) => (next.type === "step" ? next.shape?.phase : next));

it("The strategy loop requests the model again until an answer calls no tool", async () => {
  const end = { type: "end", reason: "response" };
  expect(await decisions(() => loop(), [stepWithCall, answers(""), answers("Rain.")])).toEqual([
    { type: "step" },
    { type: "step" },
    { type: "step" },
    end,
  ]);
  expect(await decisions(() => loop({ stopOnResponse: false }), [answers("Rain.")])).not.toContainEqual(end);
});

it("The strategy loop ends the turn after maxIterations rounds of tool calls", async () => {
  const made = await decisions(() => loop({ maxIterations: 2 }), [stepWithCall, stepWithCall]);
  expect(made).toEqual([{ type: "step" }, { type: "step" }, { type: "end", reason: "max_steps" }]);
});

it("The strategy react requests reasoning without tools, then an action, until an action calls no tool", async () => {
  const made = await decisions(() => react(), [answers("Look."), stepWithCall, answers("Enough."), answers("Rain.")]);
  expect(phases(made)).toEqual(["reason", "act", "reason", "act", { type: "end", reason: "response" }]);
  expect(made[0]).toMatchObject({ shape: { silent: true, tools: [], instruction: { keep: true } } });
  expect(made[1]).toMatchObject({ shape: { instruction: { keep: true } } });
  expect(made[1]).not.toHaveProperty("shape.tools");
});

it("The strategy react ends the turn after maxCycles cycles", async () => {
  const made = await decisions(() => react({ maxCycles: 1 }), [answers("Look."), stepWithCall]);
  expect(phases(made)).toEqual(["reason", "act", { type: "end", reason: "max_steps" }]);
});

it("The strategy react begins the next cycle when the model calls a tool in place of reasoning", async () => {
  expect(phases(await decisions(() => react(), [stepWithCall]))).toEqual(["reason", "reason"]);
});

it("The strategy react requests a blank action again without another instruction", async () => {
  const made = await decisions(() => react(), [answers("Look."), answers("")]);
  expect(made[2]).toEqual({ type: "step", shape: { phase: "act" } });
});
