// The strategy port: it decides between steps, and another strategy needs no other loop.

import { expect, it } from "vitest";

import { isJsonObject } from "#contract/json.ts";
import type { Json } from "#contract/json.ts";
import { zeroUsage } from "#contract/usage.ts";
import { run } from "#core/loop.ts";
import type { StepPlan, StepPort } from "#core/ports/step-port.ts";
import type { Strategy } from "#core/ports/strategy-port.ts";
import type { NestedEnd, ToolRunner } from "#core/ports/tool-port.ts";
import { committedSteps } from "#core/record/run-state.ts";
import { mainScope, scopeUnder } from "#core/record/scope.ts";

import { Harness } from "./support/harness.ts";
import type { Setup } from "./support/harness.ts";
import { calls, says } from "./support/scripted-model.ts";
import { ok, tool } from "./support/tool-box.ts";

/** A strategy that reasons without tools, then acts with them, until an act makes no call. It needs no state but `progress`. */
const react: Strategy = {
  name: "react",
  next: ({ steps, last }) => {
    const reasoned = steps % 2 === 1;
    if (reasoned) return { type: "step", shape: { toolChoice: "auto", instruction: { text: "Act.", keep: false } } };
    if (last !== null && last.calls.length === 0) {
      return { type: "end", status: "completed", reason: "response", outcome: last.text };
    }
    return { type: "step", shape: { toolChoice: "none", instruction: { text: "Reason about it.", keep: false } } };
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
  expect(second.shapes[0]).toMatchObject({ instruction: { text: "Act.", keep: false } });
});

it("If a strategy ends a run at three steps with the status `limit`, the run has this status and a result for every call", async () => {
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

/** A strategy that keeps an instruction, reasons silently without tools, and then answers. */
const keeping: Strategy = {
  name: "keeping",
  next: ({ steps }) => {
    if (steps === 1) return { type: "step", shape: { phase: "answer" } };
    if (steps > 1) return { type: "end", status: "completed", reason: "response" };
    const instruction = { text: "Reason.", keep: true };
    return { type: "step", shape: { phase: "reason", silent: true, tools: [], instruction } };
  },
};

it("An instruction with keep: true, and a silent answer, are stored as silent messages with the strategy's name and phase", async () => {
  const script = (_: unknown, number: number) => says(["I should look.", "It rains."][number] ?? "");
  const harness = new Harness({ script, strategy: keeping });
  expect(await harness.finish()).toMatchObject({ status: "completed" });
  const strategy = { name: "keeping", phase: "reason" };
  expect(harness.journal.messages.slice(1)).toMatchObject([
    { role: "user", silent: true, strategy, parts: [{ text: "Reason." }] },
    { role: "assistant", silent: true, strategy, parts: [{ text: "I should look." }] },
    { role: "assistant", silent: false, parts: [{ text: "It rains." }] },
  ]);
  expect(harness.events.flatMap((event) => (event.type === "step_start" ? [event.phase] : []))).toEqual([
    "reason",
    "answer",
  ]);
  const own = new Set(harness.journal.messages.slice(1, 3).map(({ id }) => id));
  const ofMessages = harness.events.filter(({ message_id = "" }) => own.has(message_id));
  expect(ofMessages.length).toBeGreaterThan(4);
  expect(ofMessages.filter(({ silent }) => silent !== true)).toEqual([]);
});

it("An instruction with keep: true is stored only once, also after a crash at any write or fault point", async () => {
  const script: Setup["script"] = ({ messages }) =>
    says(messages.some(({ role }) => role === "assistant") ? "It rains." : "I should look.");
  const calm = new Harness({ script, strategy: keeping });
  await calm.finish();
  const expected = calm.journal.messages.map(({ role, parts, silent }) => ({ role, parts, silent }));
  const deaths = [
    ...Array.from({ length: calm.journal.writes }, (_, at) => ({ cutAfter: at + 1 })),
    ...[...new Set(calm.passed)].map((killAt) => ({ killAt })),
  ];
  for (const death of deaths) {
    const first = new Harness({ script, strategy: keeping, ...death });
    if ((await first.drive()) !== null) continue;
    const second = new Harness({ script, strategy: keeping, rows: first.rows() });
    expect(await second.finish(), JSON.stringify(death)).toMatchObject({ status: "completed" });
    const stored = second.journal.messages.map(({ role, parts, silent }) => ({ role, parts, silent }));
    expect(stored, JSON.stringify(death)).toEqual(expected);
  }
});

it("If a strategy leaves calls unexecuted, they stay unexecuted when the run is executed again", async () => {
  const strategy: Strategy = {
    name: "leaving",
    next: ({ last }) => (last === null ? { type: "step" } : { type: "end", status: "completed", reason: "response" }),
    allows: () => "leave",
  };
  const harness = new Harness({ script: () => calls("c", ["look", {}]), tools: [look], strategy });
  expect(await harness.drive()).toMatchObject({ type: "end", end: { status: "completed" } });
  expect(harness.results).toEqual([]);
  const again = new Harness({ script: () => says("never"), tools: [look], strategy, rows: harness.rows() });
  expect(await again.drive()).toMatchObject({ type: "end" });
  expect([again.results, again.model.requests]).toEqual([[], []]);
  expect(again.journal.logs).toEqual(harness.journal.logs);
});

/** A strategy with state: it ends after `steps` steps, which it counts. Its answers are marked with its name. */
function counting(name: string, steps: number, recorded: Json | null): Strategy {
  let count = isJsonObject(recorded) ? Number(recorded[name]) : 0;
  return {
    name,
    next: () => (count < steps ? { type: "step" } : { type: "end", status: "completed", reason: "response" }),
    memory: () => ({ [name]: count }),
    finishStep: () => {
      count += 1;
      return { events: [], state: { [name]: count } };
    },
  };
}

/** A tool whose call runs a nested loop of two steps. The loop's strategy has state. */
const nested: ToolRunner = {
  ...look,
  nested: {
    begin: () => ({ events: [] }),
    run: async ({ id, message }, { ports, signal }) => {
      const scope = scopeUnder(message);
      const strategy = counting("inner", 2, ports.committed?.(scope).strategy ?? null);
      const steps: StepPort = {
        plan: async (shape, aborted) => ({ ...(await planned(ports.steps.plan(shape, aborted))), depth: scope.depth }),
        tools: (names) => ports.steps.tools(names),
      };
      const halt = await run({ ...ports, scope, steps, strategy }, signal);
      if (halt.type === "suspend") return { type: "suspend", until: halt.until };
      const end = { subagent_id: message.id, subagent_type: "nested", parent_tool_call_id: id } as const;
      const spent = { usage: zeroUsage, cost: 0, tool_executions: 0 };
      const done: NestedEnd = { type: "subagent_end", message_id: message.id, ...end, success: true, ...spent };
      return { type: "answer", answer: ok("nested"), end: done };
    },
  },
};

async function planned(plan: ReturnType<StepPort["plan"]>): Promise<StepPlan> {
  const made = await plan;
  if ("problem" in made) throw new Error(made.problem.message);
  return made;
}

it("Each loop resumes with the state of its own strategy after a crash at any fault point of a nested loop", async () => {
  const script: Setup["script"] = ({ messages }) =>
    messages.some(({ role }) => role === "assistant") ? says("Done.") : calls("c", ["look", {}]);
  const create = (rows?: Setup["rows"]) => {
    const recorded = committedSteps(rows?.logs ?? [])(mainScope).strategy;
    return { script, tools: [nested], strategy: counting("outer", 3, recorded), ...(rows && { rows }) };
  };
  const calm = new Harness(create());
  expect(await calm.drive()).toMatchObject({ end: { status: "completed" } });
  const steps = (harness: Harness) => harness.answers.map(({ depth, step }) => `${depth}/${step}`).toSorted();
  expect(steps(calm)).toEqual(["0/1", "0/2", "0/3", "1/1", "1/2"]);
  let crashes = 0;
  for (const killAt of new Set(calm.passed)) {
    const first = new Harness({ ...create(), killAt });
    if ((await first.drive()) !== null) continue;
    crashes += 1;
    const second = new Harness(create(first.rows()));
    expect(await second.drive(), killAt).toMatchObject({ end: { status: "completed" } });
    expect(steps(second), killAt).toEqual(steps(calm));
  }
  for (let cutAfter = 1; cutAfter <= calm.journal.writes; cutAfter += 1) {
    const first = new Harness({ ...create(), cutAfter });
    if ((await first.drive()) !== null) continue;
    const second = new Harness(create(first.rows()));
    expect(await second.drive(), String(cutAfter)).toMatchObject({ end: { status: "completed" } });
    expect(steps(second), String(cutAfter)).toEqual(steps(calm));
  }
  expect(crashes).toBeGreaterThan(10);
});
