// When the calls of a step run, and the order of their results.

import { expect, it } from "vitest";

import type { ToolMode } from "#core/ports/step-port.ts";
import type { ToolRunner } from "#core/ports/tool-port.ts";
import { orderedByModel } from "#core/tools/model-order.ts";
import { schedule } from "#core/tools/schedule.ts";
import type { ScheduledCall } from "#core/tools/schedule.ts";

import { Harness } from "./support/harness.ts";
import { turn } from "./support/manual-clock.ts";
import { calls, says } from "./support/scripted-model.ts";
import { gate, ok, tool } from "./support/tool-box.ts";

type Changes = Partial<ToolRunner>;

/** Calls tools `a`, `b`, … and returns the order of their events: `a+` for a start, `a-` for an end. */
async function diary(names: string, toolMode: ToolMode, changes: Record<string, Changes> = {}) {
  const emitted: string[] = [];
  const gates = new Map(names.split("").map((name) => [name, gate()]));
  const tools = names.split("").map((name) =>
    tool(
      name,
      async () => {
        emitted.push(`${name}+`);
        await gates.get(name)?.promise;
        emitted.push(`${name}-`);
        return ok(name);
      },
      changes[name],
    ),
  );
  const requested = names.split("").map((name) => [name, {}] as [string, unknown]);
  const script = (_: unknown, number: number) => (number === 0 ? calls("c", ...requested) : says("done"));
  const harness = new Harness({ script, tools, toolMode });
  const ended = harness.finish();
  // The last called tool is released first: parallel calls end in reverse order.
  for (let turns = 0; turns < names.length; turns += 1) {
    await turn();
    for (const name of names.split("").reverse()) {
      if (!emitted.includes(`${name}+`) || emitted.includes(`${name}-`)) continue;
      gates.get(name)?.open();
      await turn();
    }
  }
  await ended;
  return { emitted: emitted.join(" "), harness };
}

it.for<[string, ToolMode, Record<string, Changes>, string]>([
  ["sequential", "sequential", {}, "a+ a- b+ b- c+ c-"],
  ["parallel", "parallel", {}, "a+ b+ c+ c- b- a-"],
  ["batched by two", { batched: 2 }, {}, "a+ b+ b- a- c+ c-"],
  ["batched by none", { batched: 0 }, {}, "a+ a- b+ b- c+ c-"],
  ["a tool declared sequential", "parallel", { b: { sequential: true } }, "a+ a- b+ b- c+ c-"],
  ["a dependency on a later call", "parallel", { a: { dependsOn: ["c"] } }, "b+ c+ c- a+ b- a-"],
  ["a dependency within sequential calls", "sequential", { a: { dependsOn: ["c"] } }, "b+ b- c+ c- a+ a-"],
  [
    "a dependency across a tool that runs alone",
    "parallel",
    { a: { dependsOn: ["c"] }, b: { sequential: true } },
    "b+ b- c+ c- a+ a-",
  ],
  ["a dependency on a tool that is not called", "parallel", { a: { dependsOn: ["z"] } }, "a+ b+ c+ c- b- a-"],
  [
    "a circle, in call order behind the rest",
    "parallel",
    { a: { dependsOn: ["b"] }, b: { dependsOn: ["a"] } },
    "c+ c- a+ a- b+ b-",
  ],
])("Calls of a step run in the declared order: %s", async ([, mode, changes, expected], { expect: expectHere }) => {
  expectHere((await diary("abc", mode, changes)).emitted).toBe(expected);
});

it("The model is sent the results of parallel calls in call order, and their end events are emitted in the order in which the calls ended", async () => {
  const { harness } = await diary("abc", "parallel");
  const sent = harness.model.requests[1]?.messages.flatMap(({ tool_call_id }) => tool_call_id ?? []);
  expect(sent).toEqual(["c0", "c1", "c2"]);
  expect(harness.results.map(({ tool_call_id }) => tool_call_id)).toEqual(["c0", "c1", "c2"]);
  const ended = harness.events.flatMap((event) => (event.type === "tool_execution_end" ? [event.tool_call_id] : []));
  expect(ended).toEqual(["c2", "c1", "c0"]);
});

it("Two calls of a tool that depends on itself run one after the other", () => {
  const self: ScheduledCall = { name: "a", sequential: false, dependsOn: ["a"] };
  expect(schedule([self, self], "parallel")).toEqual({ waitsFor: [new Set(), new Set([0])], cycle: true });
});

it("A cycle of dependencies between calls is reported in the step's log row", async () => {
  const { harness } = await diary("ab", "parallel", { a: { dependsOn: ["b"] }, b: { dependsOn: ["a"] } });
  expect(JSON.stringify(harness.journal.logs[0]?.data)).toContain("in a circle");
  const fine = await diary("ab", "sequential", { a: { dependsOn: ["b"] } });
  expect(JSON.stringify(fine.harness.journal.logs[0]?.data)).not.toContain("in a circle");
});

/** The calls of one answer with their `_after`, in the order in which they started and ended. */
async function orderedDiary(toolMode: ToolMode, requested: [name: string, after?: unknown][], changes: Changes = {}) {
  const emitted: string[] = [];
  const received: unknown[] = [];
  const run = (name: string) =>
    tool(
      name,
      async (args, { id }) => {
        received.push(args);
        emitted.push(`${id}+`);
        await turn();
        emitted.push(`${id}-`);
        return ok(name);
      },
      { check: (args) => ("_after" in args ? { ok: false, problem: "_after" } : { ok: true, args }), ...changes },
    );
  const tools = [...orderedByModel(new Map(["a", "b"].map((name) => [name, run(name)]))).values()];
  const args = requested.map(([name, after]): [string, unknown] => [
    name,
    after === undefined ? {} : { _after: after },
  ]);
  const script = (_: unknown, number: number) => (number === 0 ? calls("", ...args) : says("done"));
  const harness = new Harness({ script, tools, toolMode });
  await harness.finish();
  return { emitted: emitted.join(" "), received, harness };
}

it.for<[string, ToolMode, [name: string, after?: unknown][], string]>([
  ["no order", "parallel", [["a"], ["b"]], "0+ 1+ 0- 1-"],
  ["the name of a tool", "parallel", [["a", ["b"]], ["b"]], "1+ 1- 0+ 0-"],
  ["the position of a call", "parallel", [["a", ["2"]], ["a"]], "1+ 1- 0+ 0-"],
  ["a position as a number", "parallel", [["a", [2]], ["a"]], "1+ 1- 0+ 0-"],
  ["sequential calls", "sequential", [["a", ["b"]], ["b"]], "1+ 1- 0+ 0-"],
  ["a call of the same tool", "parallel", [["a"], ["a", ["a"]]], "0+ 0- 1+ 1-"],
  ["names and positions that no call has", "parallel", [["a", ["z", "0", "9", "a b"]], ["b"]], "0+ 1+ 0- 1-"],
  ["the position of the call itself", "parallel", [["a", ["1"]], ["b"]], "0+ 1+ 0- 1-"],
  ["something else than a list", "parallel", [["a", "b"], ["b"]], "0+ 1+ 0- 1-"],
  [
    "a circle, in call order",
    "parallel",
    [
      ["a", ["2"]],
      ["b", ["1"]],
    ],
    "0+ 0- 1+ 1-",
  ],
])(
  "A model orders the calls of a step with _after: %s",
  async ([, mode, requested, expected], { expect: expectHere }) => {
    const { emitted, received, harness } = await orderedDiary(mode, requested);
    expectHere(emitted).toBe(expected);
    expectHere(received).toEqual(requested.map(() => ({})));
    const isCircle = requested.every(([, after]) => after !== undefined);
    expectHere(JSON.stringify(harness.journal.logs[0]?.data).includes("in a circle")).toBe(isCircle);
  },
);

it("A tool gets the parameter _after, unless it has one of its own or a client runs its calls", () => {
  const parameters = {
    type: "object",
    properties: { at: { type: "string" } },
    required: ["at"],
    additionalProperties: false,
  };
  const plain = tool("plain", async () => ok(""));
  const runner = { ...plain, spec: { ...plain.spec, parameters } };
  const own = {
    ...plain,
    spec: { ...plain.spec, parameters: { ...parameters, properties: { _after: { type: "string" } } } },
  };
  const remote = { ...plain, remote: true };
  const tools = orderedByModel(
    new Map<string, ToolRunner>([
      ["runner", runner],
      ["own", own],
      ["remote", remote],
    ]),
  );
  expect(tools.get("runner")?.spec.parameters).toMatchObject({
    ...parameters,
    properties: { at: { type: "string" }, _after: { type: "array", items: { type: "string" } } },
  });
  expect([tools.get("own"), tools.get("remote")]).toEqual([own, remote]);
});
