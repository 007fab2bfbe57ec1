// A project's tool in the form in which the loop runs it.

import { expect, it } from "vitest";
import { z } from "zod";

import { noFaults } from "#core/ports/faults.ts";
import type { ToolPiece } from "#core/ports/tool-port.ts";
import { defaultTimeoutMs } from "#core/tools/tool-output.ts";
import { toolRunner } from "#flow/tool/tool-runner.ts";
import { systemClock } from "#lib/system-clock.ts";
import { defineTool } from "#spec/index.ts";
import type { AnyToolDefinition, ToolCall, ToolResult } from "#spec/index.ts";

import { Harness } from "../core/support/harness.ts";
import { calls, says } from "../core/support/scripted-model.ts";
import { gate } from "../core/support/tool-box.ts";
import { noState } from "./support/hooks.ts";

const ok = (result: string): ToolResult => ({ status: "success", result });

const faulty = {
  fail: (words: string): never => {
    throw new Error(words);
  },
  wordless: (): never => {
    throw Object.create(null);
  },
};

function runnerOf(definition: unknown) {
  return toolRunner("it", definition as AnyToolDefinition, { state: noState, faults: noFaults, clock: systemClock });
}

async function piecesOf(definition: unknown, args: object = {}): Promise<ToolPiece[]> {
  const call = { id: "c1", attempt: 1, signal: new AbortController().signal };
  const pieces: ToolPiece[] = [];
  for await (const piece of runnerOf(definition).run(args as never, call)) pieces.push(piece);
  return pieces;
}

it("The arguments of a tool call are checked by the tool's schema, missing defaults are added, and the error names what is wrong", () => {
  const schema = z.object({
    city: z.string(),
    days: z.number().default(3),
    tags: z.record(z.string(), z.number()).optional(),
  });
  const runner = runnerOf(defineTool("d", schema, async () => ok("")));
  expect(runner.check({ city: "Rome" })).toEqual({ ok: true, args: { city: "Rome", days: 3 } });
  expect(runner.check({ city: "Rome", tags: { a: 1 } })).toEqual({
    ok: true,
    args: { city: "Rome", days: 3, tags: { a: 1 } },
  });
  expect(runner.check({ days: "x", tags: { a: "b" } })).toEqual({
    ok: false,
    problem: expect.stringMatching(/city: .*; days: .*; tags\.a: /),
  });
  const either = runnerOf(defineTool("d", z.object({ at: z.union([z.string(), z.number()]) }), async () => ok("")));
  expect([either.check({ at: 1 }).ok, either.check({ at: "1" }).ok, either.check({ at: null }).ok]).toEqual([
    true,
    true,
    false,
  ]);
});

it("Defaults, refinements and transforms of a schema apply at every depth", () => {
  const deep = (levels: number): z.ZodType =>
    levels === 0
      ? z.object({ word: z.string().trim().toLowerCase().default("none"), even: z.number().refine((n) => n % 2 === 0) })
      : z.object({ in: deep(levels - 1) });
  const wrap = (levels: number, value: unknown): unknown => (levels === 0 ? value : { in: wrap(levels - 1, value) });
  const runner = runnerOf(defineTool("d", z.object({ at: deep(5) }) as never, async () => ok("")));
  expect(runner.check({ at: wrap(5, { word: " ABC ", even: 2 }) } as never)).toEqual({
    ok: true,
    args: { at: wrap(5, { word: "abc", even: 2 }) },
  });
  expect(runner.check({ at: wrap(5, { even: 4, extra: 1 }) } as never)).toEqual({
    ok: true,
    args: { at: wrap(5, { word: "none", even: 4 }) },
  });
  expect(runner.check({ at: wrap(5, { even: 3 }) } as never)).toMatchObject({
    ok: false,
    problem: expect.stringContaining("at.in.in.in.in.in.even: "),
  });
});

it("Null, numbers and booleans can be literals of a schema", () => {
  const schema = z.object({ none: z.literal(null), two: z.literal([1, 2]), yes: z.literal(true), not: z.null() });
  const runner = runnerOf(defineTool("d", schema as never, async () => ok("")));
  const good = { none: null, two: 2, yes: true, not: null };
  expect(runner.check(good)).toEqual({ ok: true, args: good });
  for (const wrong of [{ none: "null" }, { two: "2" }, { yes: "true" }, { not: 0 }, { two: 3 }]) {
    expect(runner.check({ ...good, ...wrong }).ok).toBe(false);
  }
});

it("If a schema throws or is asynchronous, the check reports the call as invalid and throws no exception", () => {
  const throws = z.object({
    a: z.string().refine(() => {
      throw new Error("schema trap");
    }),
  });
  expect(runnerOf(defineTool("d", throws, async () => ok(""))).check({ a: "x" })).toEqual({
    ok: false,
    problem: expect.stringContaining("schema trap"),
  });
  const waits = z.object({ a: z.string().refine(async () => true) });
  expect(runnerOf(defineTool("d", waits, async () => ok(""))).check({ a: "x" })).toMatchObject({ ok: false });
});

const wordless = z.object({ a: z.string() }).superRefine((_, check) => {
  check.addIssue({ code: "custom", message: "odd", path: [Symbol("place"), "a"] });
});

it.for<[string, z.ZodObject]>([
  ["a transform that throws", z.object({ a: z.string().transform((): string => faulty.fail("in a transform")) })],
  ["an asynchronous transform", z.object({ a: z.string().transform(async (a) => a) })],
  ["an asynchronous refinement", z.object({ a: z.string().refine(async () => true) })],
  ["a refinement that throws an error without a message", z.object({ a: z.string().refine(() => faulty.wordless()) })],
  ["an issue at a path that is not text", wordless],
])(
  "A tool schema with %s gives an error result only to the call that it checks",
  async ([, schema], { expect: expectHere }) => {
    const odd = toolRunner("odd", defineTool("d", schema, async () => ok("never")) as AnyToolDefinition, {
      state: noState,
      faults: noFaults,
      clock: systemClock,
    });
    const fine = toolRunner("fine", defineTool("d", async () => ok("fine")) as AnyToolDefinition, {
      state: noState,
      faults: noFaults,
      clock: systemClock,
    });
    const script = (_: unknown, number: number) =>
      number === 0 ? calls("c", ["fine", {}], ["odd", { a: "x" }], ["fine", {}]) : says("done");
    const harness = new Harness({ script, tools: [odd, fine] });
    expectHere(await harness.finish()).toMatchObject({ status: "completed" });
    expectHere(harness.results.map(({ result }) => result)).toEqual([
      ok("fine"),
      { status: "error", error: expect.stringContaining("do not fit the tool's schema") },
      ok("fine"),
    ]);
  },
);

it("A tool without a function is offered to the model, its arguments are checked, and its call waits until its deadline", async () => {
  const remote = runnerOf(
    defineTool("Asks the client", z.object({ q: z.string() }), undefined, { deadlineMs: 90_000 }),
  );
  expect(remote.spec).toMatchObject({ description: "Asks the client", parameters: { required: ["q"] } });
  const script = (_: unknown, number: number) =>
    number === 0 ? calls("c", ["it", { q: "x" }], ["it", {}]) : says("Hm");
  const harness = new Harness({ script, tools: [remote] });
  const halt = await harness.drive();
  expect(halt).toMatchObject({ type: "suspend" });
  const [open, wrong] = harness.results;
  expect(open).toMatchObject({ status: "started", awaits: { kind: "remote", delivered: null } });
  expect(halt).toEqual({ type: "suspend", until: open?.awaits?.deadline });
  expect(wrong?.result?.error).toContain("do not fit the tool's schema");
});

it("A tool without arguments receives none, and the call is its second argument", async () => {
  const received: unknown[] = [];
  const bare = defineTool("d", async (state, call) => {
    received.push(state, call.id, call.attempt);
    return ok("done");
  });
  expect(runnerOf(bare).check({ made: "up" })).toEqual({ ok: true, args: {} });
  expect(await piecesOf(bare)).toEqual([{ type: "result", result: ok("done") }]);
  expect(received).toEqual([noState, "c1", 1]);
});

it("The options of a tool are read, and a tool without a function is remote", () => {
  const options = { timeoutMs: 5, sequential: true, dependsOn: ["a"], idempotent: true };
  expect(runnerOf(defineTool("d", null, async () => ok(""), options))).toMatchObject({
    ...options,
    remote: false,
    reconcile: null,
  });
  const plain = runnerOf(defineTool("d", z.object({ a: z.string() })));
  expect(plain).toMatchObject({
    remote: true,
    timeoutMs: defaultTimeoutMs,
    sequential: false,
    dependsOn: [],
    idempotent: false,
  });
  expect(plain.spec).toMatchObject({ name: "it", description: "d", parameters: { type: "object", required: ["a"] } });
});

it("A tool gives one result if its function returns a promise, and a rejected promise is an error", async () => {
  expect(await piecesOf(defineTool("d", async () => ok("x")))).toEqual([{ type: "result", result: ok("x") }]);
  expect(await piecesOf(["d", null, () => ok("at once")])).toEqual([{ type: "result", result: ok("at once") }]);
  await expect(piecesOf(defineTool("d", () => Promise.reject(new Error("no"))))).rejects.toThrow("no");
});

it("Progress that a tool reports by callback is emitted as it arrives, before the result", async () => {
  const open = gate();
  const received: ToolPiece[] = [];
  const emitted = defineTool("d", async (_state, call: ToolCall) => {
    call.progress("a");
    await open.promise;
    call.progress({ done: 1 });
    call.progress(() => 1);
    return ok("end");
  });
  const call = { id: "c1", attempt: 1, signal: new AbortController().signal };
  for await (const piece of runnerOf(emitted).run({}, call)) {
    received.push(piece);
    if (received.length === 1) open.open();
  }
  expect(received).toEqual([
    { type: "delta", delta: "a" },
    { type: "progress", data: { done: 1 } },
    { type: "progress", data: expect.stringContaining("=>") },
    { type: "result", result: ok("end") },
  ]);
});

it("A streaming tool emits its deltas and ends with its result, which it yields or returns", async () => {
  const whole = async function* (_: unknown, call: ToolCall) {
    yield { type: "delta", delta: "a" } as const;
    call.progress("from the side");
    yield { type: "progress", data: [1] } as const;
    yield { type: "complete", output: { rows: 2 }, details: { ms: 5 } } as const;
  };
  expect(await piecesOf(["d", null, whole])).toEqual([
    { type: "delta", delta: "a" },
    { type: "delta", delta: "from the side" },
    { type: "progress", data: [1] },
    { type: "result", result: { status: "success", result: '{"rows":2}', value: { rows: 2 }, details: { ms: 5 } } },
  ]);
  const returned = async function* () {
    yield { type: "delta", delta: "a" } as const;
    return ok("returned");
  };
  expect((await piecesOf(["d", null, returned])).at(-1)).toEqual({ type: "result", result: ok("returned") });
  const yielded = async function* () {
    yield ok("yielded");
  };
  expect(await piecesOf(["d", null, yielded])).toEqual([{ type: "result", result: ok("yielded") }]);
});

it("A tool's stream is closed after its result, and when its call is abandoned", async () => {
  const closed: string[] = [];
  const talking = async function* () {
    try {
      yield { type: "delta", delta: "a" } as const;
      yield { type: "complete", output: "b" } as const;
      yield { type: "delta", delta: "never" } as const;
    } finally {
      closed.push("closed");
    }
  };
  expect(await piecesOf(["d", null, talking])).toHaveLength(2);
  const call = { id: "c1", attempt: 1, signal: new AbortController().signal };
  for await (const _ of runnerOf(["d", null, talking]).run({}, call)) break;
  expect(closed).toEqual(["closed", "closed"]);
});

it("A tool's `reconcile` receives the call's id, the arguments and the state, and its `not_done` becomes null", async () => {
  const received: unknown[] = [];
  const requested = (answer: ToolResult | "not_done") =>
    runnerOf(
      defineTool("d", z.object({ n: z.number() }), async () => ok(""), {
        reconcile: async (...values) => {
          received.push(values);
          return answer;
        },
      }),
    ).reconcile?.("c1", { n: 1 });
  expect(await requested(ok("was done"))).toEqual(ok("was done"));
  expect(await requested("not_done")).toBeNull();
  expect(received[0]).toEqual(["c1", { n: 1 }, noState]);
});
