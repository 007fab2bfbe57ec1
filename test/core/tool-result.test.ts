// What the model reads when a call goes wrong: every call has exactly one result, with a text on which the model can act.

import { expect, it } from "vitest";

import type { ToolRunner } from "#core/ports/tool-port.ts";

import { Harness } from "./support/harness.ts";
import { turn } from "./support/manual-clock.ts";
import { callBlock, calls, finish, says } from "./support/scripted-model.ts";
import { gate, ok, pieces, streamingTool, tool } from "./support/tool-box.ts";

const picky: ToolRunner["check"] = ({ city }) =>
  typeof city === "string" ? { ok: true, args: { city } } : { ok: false, problem: "city: expected string" };

/** Runs one call of a tool and returns its result. */
async function resultOf(runner: ToolRunner | null, args: unknown = {}) {
  const script = (_: unknown, number: number) => (number === 0 ? calls("c", ["it", args]) : says("done"));
  const harness = new Harness({ script, tools: runner === null ? [] : [runner] });
  await harness.finish();
  return harness.results[0]?.result;
}

it("An unknown tool, arguments that are no JSON object and arguments of a wrong type have different errors", async () => {
  const echo = tool("it", async ({ city }) => ok(JSON.stringify(city)), { check: picky });
  expect(await resultOf(null)).toMatchObject({ status: "error", error: expect.stringContaining('no tool named "it"') });
  expect(await resultOf(echo, '{"city":')).toMatchObject({ error: expect.stringContaining('JSON object: {"city":') });
  expect(await resultOf(echo, "[1]")).toMatchObject({ error: expect.stringContaining("not a JSON object") });
  expect(await resultOf(echo, { city: 7 })).toMatchObject({ error: expect.stringContaining("city: expected string") });
  expect(await resultOf(echo, { city: "Rome" })).toEqual({ status: "success", result: '"Rome"' });
});

it("A call with an empty text as arguments is a call without arguments", async () => {
  expect(
    await resultOf(
      tool("it", async (args) => ok(JSON.stringify(args))),
      "",
    ),
  ).toMatchObject({ result: "{}" });
});

const circle: Record<string, unknown> = {};
circle["self"] = circle;
const trap = {
  get status(): string {
    throw new Error("trap");
  },
};
const deep = JSON.parse("[".repeat(20_000) + "]".repeat(20_000)) as unknown;

it.for<[string, () => Promise<unknown>, object]>([
  ["throws an error", () => Promise.reject(new Error("no luck")), { error: "no luck" }],
  ["throws text", () => Promise.reject("oh" as unknown as Error), { error: "The tool threw: oh" }],
  ["throws nothing", () => Promise.reject(null as unknown as Error), { error: "The tool threw: null" }],
  ["throws what has no words", () => Promise.reject(Object.create(null) as Error), { status: "error" }],
  [
    "throws an odd message",
    () => Promise.reject(Object.assign(new Error(), { message: { a: 1 } })),
    { status: "error" },
  ],
  ["gives nothing", () => Promise.resolve(undefined), { error: expect.stringContaining("returned no result") }],
  ["gives text", () => Promise.resolve("done"), { error: expect.stringContaining("returned no result") }],
  ["gives an unknown status", () => Promise.resolve({ status: "fine" }), { status: "error" }],
  ["gives a number as text", () => Promise.resolve({ status: "success", result: 7 }), { status: "error" }],
  ["gives a trap", () => Promise.resolve(trap), { status: "error" }],
  [
    "fails without words",
    () => Promise.resolve({ status: "error" }),
    { error: expect.stringContaining("without saying") },
  ],
  ["gives a circle as details", () => Promise.resolve({ ...ok("kept"), details: circle }), ok("kept")],
  ["gives deep details", () => Promise.resolve({ ...ok("kept"), details: deep }), ok("kept")],
  ["gives a function as details", () => Promise.resolve({ ...ok("kept"), details: () => 1 }), ok("kept")],
  [
    "fails with a blank text",
    () => Promise.resolve({ status: "error", error: " \n" }),
    { error: expect.stringContaining("without saying") },
  ],
  [
    "gives blank parts and a value",
    () => Promise.resolve({ status: "success", content: [{ type: "text", text: "\u200B" }], value: { n: 7 } }),
    { result: '{"n":7}' },
  ],
  [
    "gives a part that cannot be read and a value",
    () => Promise.resolve({ status: "success", content: [{ type: "odd" }], value: { n: 7 } }),
    { result: expect.stringMatching(/^\{"n":7\}\n\[A part of the result was left out/) },
  ],
  ["gives half a surrogate", () => Promise.resolve(ok("\ud83d")), ok("\ufffd")],
])("A call has a well-formed result even if its tool %s", async ([, work, expected], { expect: expectHere }) => {
  expectHere(await resultOf(tool("it", work))).toMatchObject(expected);
});

it("A call whose tool throws at once, or ends without a result, gets an error result", async () => {
  const atOnce = streamingTool("it", () => {
    throw new Error("at once");
  });
  expect(await resultOf(atOnce)).toMatchObject({ error: "at once" });
  expect(await resultOf(streamingTool("it", () => pieces()))).toMatchObject({
    error: "The tool ended without a result.",
  });
});

it("The text of a tool result over the limit is shortened with a note, and the result of a thrown error has no stack", async () => {
  const long = "x".repeat(20 * 1024 * 1024);
  const cut = await resultOf(tool("it", async () => ok(long)));
  expect(cut?.result?.length).toBeLessThan(310_000);
  expect(cut?.result).toContain("of 20971520 characters left out]");
  const thrown = await resultOf(tool("it", () => Promise.reject(new Error(long))));
  expect(thrown?.error?.length).toBeLessThan(310_000);
  expect(thrown).not.toHaveProperty("stack");
  const wide = await resultOf(tool("it", async () => ok("\u0000".repeat(200_000))));
  expect(new TextEncoder().encode(JSON.stringify(wide)).byteLength).toBeLessThan(310_000);
});

it("A hanging tool ends at its time limit with an error, and its signal fires", async () => {
  const reason = gate<unknown>();
  const hang = tool(
    "it",
    (_args, { signal }) => {
      signal.addEventListener("abort", () => reason.open(signal.reason));
      return new Promise(() => {});
    },
    { timeoutMs: 5000 },
  );
  const script = (_: unknown, number: number) => (number === 0 ? calls("c", ["it", {}]) : says("done"));
  const harness = new Harness({ script, tools: [hang] });
  const ended = harness.finish();
  await harness.clock.advance(4999);
  expect(harness.results[0]?.status).toBe("started");
  await harness.clock.advance(1);
  await ended;
  expect(harness.results[0]?.result).toEqual({ status: "error", error: "The tool did not finish within 5 s." });
  expect(await reason.promise).toBeInstanceOf(Error);
  expect(harness.clock.armed).toBe(0);
});

it("Output of a tool is ignored after the tool's time limit", async () => {
  const late = gate();
  const slow = streamingTool(
    "it",
    async function* () {
      await late.promise;
      yield { type: "delta", delta: "too late" };
    },
    { timeoutMs: 10 },
  );
  const script = (_: unknown, number: number) => (number === 0 ? calls("c", ["it", {}]) : says("done"));
  const harness = new Harness({ script, tools: [slow] });
  const ended = harness.finish();
  await harness.clock.advance(10);
  late.open();
  await ended;
  await turn();
  harness.holdToContract();
  expect(harness.events.map(({ type }) => type)).not.toContain("tool_execution_delta");
});

it("Output of a running tool is emitted with offsets, and none of it after the tool's end", async () => {
  const late = gate();
  const talking = streamingTool("it", async function* () {
    yield* pieces(
      { type: "delta", delta: "ab" },
      { type: "delta", delta: "" },
      { type: "progress", data: { done: 1 } },
    );
    yield { type: "delta", delta: "c" };
    yield { type: "result", result: ok("abc") };
    await late.promise;
    yield { type: "delta", delta: "too late" };
  });
  const script = (_: unknown, number: number) => (number === 0 ? calls("c", ["it", {}]) : says("done"));
  const harness = new Harness({ script, tools: [talking] });
  await harness.finish();
  const emitted = harness.events.flatMap((event) => (event.type === "tool_execution_delta" ? [event] : []));
  expect(emitted).toMatchObject([{ offset: 0, delta: "ab" }, { progress: { done: 1 } }, { offset: 2, delta: "c" }]);
});

it("A call with incomplete arguments does not run, and an answer with a complete call has the stop reason `tool_calls`, whatever the provider reports", async () => {
  const ran: string[] = [];
  const it = tool("it", async (_args, { id }) => {
    ran.push(id);
    return ok(id);
  });
  const open = callBlock(1, { id: "open", name: "it", json: '{"half' }).slice(0, -1);
  const first = [...callBlock(0, { id: "whole", name: "it", json: "{}" }), ...open, finish({ stop_reason: "length" })];
  const script = (_: unknown, number: number) => (number === 0 ? first : [finish({ stop_reason: "tool_calls" })]);
  const harness = new Harness({ script, tools: [it] });
  await harness.finish();
  expect(ran).toEqual(["whole"]);
  expect(harness.answers.map(({ stop_reason }) => stop_reason)).toEqual(["tool_calls", "stop"]);
});

it("If a hook changes a tool result, the message, the event and the next request have the changed result", async () => {
  const script = (_: unknown, number: number) => (number === 0 ? calls("c", ["it", {}]) : says("done"));
  const harness = new Harness({
    script,
    tools: [tool("it", async () => ok("raw"))],
    hooks: {
      beforeCreateMessage: (message) =>
        Promise.resolve(message.role === "tool" ? { ...message, result: ok("hooked") } : message),
    },
  });
  await harness.finish();
  const ended = harness.events.find(({ type }) => type === "tool_execution_end");
  expect([ended, harness.results[0], harness.model.requests[1]?.messages.at(-1)]).toMatchObject([
    { result: ok("hooked") },
    { result: ok("hooked") },
    { result: ok("hooked") },
  ]);
});

it("The hooks of a tool call and its messages run in their defined order", async () => {
  const script = (_: unknown, number: number) => (number === 0 ? calls("c", ["it", {}]) : says("done"));
  const harness = new Harness({ script, tools: [tool("it", async () => ok("fine"))] });
  await harness.finish();
  expect(harness.hooked.slice(0, 6)).toEqual([
    "before_create_message assistant",
    "after_create_message assistant",
    "after_tool_call_success c0",
    "before_store_tool_result c0",
    "before_create_message c0",
    "after_create_message c0",
  ]);
});
