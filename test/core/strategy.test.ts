// The strategy port: it decides between steps, and another strategy needs no other loop.

import { expect, it } from "vitest";

import type { Strategy } from "#core/ports/strategy-port.ts";

import { Harness } from "./support/harness.ts";
import { calls, says } from "./support/scripted-model.ts";
import { ok, tool } from "./support/tool-box.ts";

/** A strategy that reasons without tools, then acts with them, until an act makes no call. It needs no state but `progress`. */
const react: Strategy = {
  name: "react",
  next: ({ steps, last }) => {
    const reasoned = steps % 2 === 1;
    if (reasoned) return { type: "step", shape: { toolChoice: "auto", instruction: "Act." } };
    if (last !== null && last.calls.length === 0) {
      return { type: "end", status: "completed", reason: "response", outcome: last.text };
    }
    return { type: "step", shape: { toolChoice: "none", instruction: "Reason about it." } };
  },
};

const look = tool("look", async () => ok("rain"));

it("A strategy sets tool choice and instruction of each step, and the run ends with the strategy's outcome", async () => {
  const answers = [says("I should look."), calls("c", ["look", {}]), says("It rains."), says("Take a coat.")];
  const harness = new Harness({ script: (_, number) => answers[number] ?? [], tools: [look], strategy: react });
  expect(await harness.finish()).toEqual({
    type: "end",
    status: "completed",
    reason: "response",
    outcome: "Take a coat.",
  });
  expect(harness.shapes.map(({ toolChoice }) => toolChoice)).toEqual(["none", "auto", "none", "auto"]);
  const lastLine = harness.model.requests.map(({ messages }) => messages.at(-1));
  expect(lastLine.map((line) => line?.parts)).toEqual(
    ["Reason about it.", "Act.", "Reason about it.", "Act."].map((text) => [{ type: "text", text }]),
  );
  expect(harness.journal.messages.map(({ role }) => role)).not.toContain("system");
  expect(JSON.stringify(harness.journal.messages)).not.toContain("Reason about it.");
});

it("An interrupted run continues at its next step with a new strategy object, which reads its state from the stored rows", async () => {
  const first = new Harness({ script: () => says("I should look."), strategy: react, cutAfter: 2 });
  expect(await first.drive()).toBeNull();
  const answers = [calls("c", ["look", {}]), says("It rains."), says("Take a coat.")];
  const script = (_: unknown, number: number) => answers[number] ?? [];
  const second = new Harness({ script, tools: [look], strategy: react, rows: first.rows() });
  expect(await second.finish()).toMatchObject({ status: "completed", outcome: "Take a coat." });
  expect(second.shapes[0]).toMatchObject({ instruction: "Act." });
});

it("A strategy that ends a run at three steps gives it the status `limit`, with a result for every call", async () => {
  const script = (_: unknown, number: number) => calls(`s${number}`, ["look", {}]);
  const strategy: Strategy = {
    name: "three",
    next: ({ steps }) => (steps < 3 ? { type: "step" } : { type: "end", status: "limit", reason: "max_steps" }),
  };
  const harness = new Harness({ script, tools: [look], strategy });
  expect(await harness.finish()).toMatchObject({ status: "limit", reason: "max_steps" });
  expect([harness.model.requests.length, harness.results.length]).toEqual([3, 3]);
});

it("A run ends with an error if its next step has no valid definition", async () => {
  const problem = { problem: { code: "prompt_not_found", message: "There is no prompt." } };
  const harness = new Harness({ script: () => says("never"), problem });
  expect(await harness.finish()).toEqual({
    status: "error",
    reason: "prompt_not_found",
    error: { code: "prompt_not_found", message: "There is no prompt." },
  });
});
