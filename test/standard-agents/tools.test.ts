// Standard Agents, tools: the fields of a tool that a model receives, how its function is called, and what happens to its
// result. Attachments have a file of their own.

import { defineTool } from "@standardagents/spec";
import type { AnyToolDefinition, ThreadState, ToolResult } from "@standardagents/spec";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { answers, calling, start } from "./project.ts";
import { bodySentBy } from "./wire.ts";

const done: ToolResult = { status: "success", result: "done" };

/** Lets the model call the tool once. */
async function call(tool: AnyToolDefinition, args: Record<string, unknown> = {}) {
  const { project, thread } = await start({ tools: { probe: tool }, script: answers(calling("probe", args)) });
  const events = await thread.say("Hello");
  return { thread, events, result: await thread.result(), read: project.requests[1]?.messages.at(-1)?.content };
}

/** Lets the model call a tool that returns this result. */
function answering(result: ToolResult) {
  return call(defineTool("Answers", async () => result));
}

/** The tool in the request to the provider. */
async function emitted(tool: AnyToolDefinition) {
  const { tools } = await bodySentBy("openai", { tools: { probe: tool }, prompt: { tools: ["probe"] } });
  return tools?.[0]?.["function"];
}

describe("defineTool", () => {
  it("SATOOL1 defineTool with a schema makes a tool whose function receives state and checked arguments", async () => {
    const received: unknown[] = [];
    const tool = defineTool("Probes", z.object({ q: z.string() }), async (state: ThreadState, args) => {
      received.push(state.threadId, args);
      return done;
    });
    const { thread, result } = await call(tool, { q: "x", extra: 1 });
    expect(received).toEqual([thread.id, { q: "x" }]);
    expect(result).toMatchObject(done);
    expect((await call(tool, { q: 7 })).result).toMatchObject({
      status: "error",
      error: expect.stringContaining("q:"),
    });
    expect(received).toHaveLength(2);
  });

  it("SATOOL2 defineTool without a schema makes a tool that takes no arguments, whatever the model sends", async () => {
    const received: unknown[] = [];
    const tool = defineTool("Probes", async (state: ThreadState) => {
      received.push(state.agentId);
      return done;
    });
    expect((await call(tool, { q: "x" })).result).toMatchObject(done);
    expect(received).toEqual(["main"]);
    expect(await emitted(tool)).toMatchObject({ parameters: { type: "object", properties: {} } });
  });

  it("SATOOL3 The description of a tool is the text that the model reads", async () => {
    expect(await emitted(defineTool("Looks it up", async () => done))).toMatchObject({ description: "Looks it up" });
    expect(await emitted(defineTool("Writes it down", async () => done))).toMatchObject({
      description: "Writes it down",
    });
  });

  it("SATOOL4 The schema of a tool is sent to the model as parameters, with its descriptions", async () => {
    const schema = z.object({ city: z.string().describe("Which city"), days: z.number().optional() });
    expect(await emitted(defineTool("Weather", schema, async () => done))).toMatchObject({
      parameters: {
        type: "object",
        properties: { city: { type: "string", description: "Which city" }, days: { type: "number" } },
        required: ["city"],
      },
    });
  });

  it("SATOOL5 A tool definition is a tuple of three elements, and a tuple that is written by hand is a tool definition", async () => {
    const run = async (_state: ThreadState, { q }: { q: string }): Promise<ToolResult> => ({ ...done, result: q });
    const schema = z.object({ q: z.string() });
    expect([...defineTool("Probes", schema, run)]).toEqual(["Probes", schema, run]);
    expect((await call(["By hand", schema, run], { q: "tuple" })).read).toBe("tuple");
    expect((await call(["By hand, bare", null, async () => done], { q: "x" })).read).toBe("done");
  });

  it("SATOOL6 A tool's function is asynchronous, and the model reads the value of its promise", async () => {
    const slow = defineTool("Waits", async () => {
      await Promise.resolve();
      return { status: "success", result: "later" } as const;
    });
    expect((await call(slow)).read).toBe("later");
    const rejected = defineTool("Rejects", () => Promise.reject(new Error("no luck")));
    expect((await call(rejected)).result).toMatchObject({ status: "error", error: "no luck" });
  });
});

describe("a result", () => {
  it("SATOOL7 ToolResult.status success marks a result that the model reads as a success", async () => {
    const { result, events } = await answering({ status: "success", result: "fine" });
    expect(result).toMatchObject({ status: "success", result: "fine" });
    expect(events.find(({ type }) => type === "tool_execution_end")).toMatchObject({ is_error: false });
  });

  it("SATOOL8 ToolResult.status error marks a result that the model reads as an error", async () => {
    const { result, events } = await answering({ status: "error", error: "broken" });
    expect(result).toMatchObject({ status: "error", error: "broken" });
    expect(events.find(({ type }) => type === "tool_execution_end")).toMatchObject({ is_error: true });
  });

  it("SATOOL9 ToolResult.result is the text that the model is sent", async () => {
    expect((await answering({ status: "success", result: "one" })).read).toBe("one");
    expect((await answering({ status: "success", result: "two" })).read).toBe("two");
    expect((await answering({ status: "success" })).read).toBe("");
  });

  it("SATOOL10 ToolResult.error is the text that the model is sent after a failure", async () => {
    expect((await answering({ status: "error", error: "no such order", result: "ignored" })).read).toBe(
      "no such order",
    );
    expect((await answering({ status: "error", error: "no such city" })).read).toBe("no such city");
  });

  it("SATOOL11 ToolResult.stack is stored in the log and reaches no message, no event and no model", async () => {
    const stack = "Error: broken\n at deep inside";
    const { thread, events, read } = await answering({ status: "error", error: "broken", stack });
    expect(JSON.stringify([await thread.messages(), events, read])).not.toContain("deep inside");
    expect(JSON.stringify((await thread.logs("llm_request")).map(({ data }) => data["tools"]))).toContain(
      "deep inside",
    );
  });
});

/** A tuple, whose function may return values that the types of defineTool refuse. */
const returning = (value: unknown): AnyToolDefinition => ["Answers", null, async () => value];

const order = { status: "shipped", id: 7, at: new Date(0), items: [{ sku: "a" }], note: undefined };
const orderJson = '{"status":"shipped","id":7,"at":"1970-01-01T00:00:00.000Z","items":[{"sku":"a"}]}';

describe("a returned value", () => {
  it.for<[string, unknown, string]>([
    ["a text", "It rains.", "It rains."],
    ["a number", 3, "3"],
    ["a boolean", false, "false"],
    ["null", null, "null"],
    ["nothing", undefined, ""],
    ["a list", [1, "two"], '[1,"two"]'],
    ["an object with another status and a date", order, orderJson],
    [
      "a row with the status error",
      { status: "error", id: 7, title: "job" },
      '{"status":"error","id":7,"title":"job"}',
    ],
    ["a row with the status success", { status: "success", orderId: "A1" }, '{"status":"success","orderId":"A1"}'],
    ["a status alone", { status: "success", result: undefined }, ""],
    ["a result and another field", { status: "success", result: "Sent.", id: 7 }, "Sent."],
  ])("TOOL3 A tool that returns %s succeeds, and the model reads the value as text", async ([, value, text], test) => {
    const { result, read, events } = await call(returning(value));
    test.expect(result).toMatchObject({ status: "success" });
    test.expect(read).toBe(text);
    test.expect(events.find(({ type }) => type === "tool_execution_end")).toMatchObject({ is_error: false });
  });

  it("TOOL3 A tool may return its value without a promise, or at the end of a generator", async () => {
    expect((await call(["At once", null, () => "now"])).read).toBe("now");
    const stream = defineTool("Streams", async function* () {
      yield { type: "delta", delta: "…" };
      return { hits: [1] };
    });
    expect((await call(stream)).read).toBe('{"hits":[1]}');
    const ends = defineTool("Ends", async function* () {
      yield { type: "delta", delta: "…" };
      return { status: "error", error: "No hits." };
    });
    expect(await call(ends)).toMatchObject({ result: { status: "error" }, read: "No hits." });
  });

  it("TOOL3 A caller in the thread receives the value that a tool returned", async () => {
    const { project, thread } = await start({
      tools: {
        probe: defineTool("Calls another tool", async (state) => {
          const { status, value } = await state.invokeTool("rows", {});
          return `${status} ${Array.isArray(value)}`;
        }),
        rows: defineTool("Reads", async () => [{ id: 1 }]),
      },
      script: answers(calling("probe", {})),
    });
    await thread.say("Hello");
    expect(project.requests[1]?.messages.at(-1)?.content).toBe("success true");
  });

  it.for<[string, unknown, string]>([
    ["a function", () => 1, "it is a function"],
    ["NaN in a field", { total: NaN }, '"total" is NaN'],
    ["Infinity", Infinity, "it is Infinity"],
    ["a bigint in a list", [[3n]], '"0" is a bigint'],
    ["a symbol", Symbol("x"), "it is a symbol"],
    ["a Map in a field", { rows: new Map() }, '"rows" is a Map'],
    ["bytes", new Uint8Array(2), "it is a Uint8Array"],
    ["an invalid date", new Date(NaN), "it is an invalid date"],
    ["a response", new Response("x"), "it is a Response"],
  ])(
    "TOOL4 A tool that returns %s fails, and the error names the part and the right shape",
    async ([, value, part], test) => {
      const { result } = await call(returning(value));
      test.expect(result).toMatchObject({
        status: "error",
        error: test.expect.stringMatching(/It must return a text, a JSON value or \{status: "success" \| "error"/),
      });
      test.expect(result).toMatchObject({ error: test.expect.stringContaining(`: ${part}, which has no JSON form. `) });
    },
  );

  it("TOOL4 A tool that returns an object that contains itself, a getter that throws or a result of a wrong shape fails with the right shape", async () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    const trap = {
      get status(): string {
        throw new Error("trap");
      },
    };
    const shape = expect.stringContaining('It must return a text, a JSON value or {status: "success" | "error"');
    for (const value of [circle, trap, { status: "success", result: { hits: 3 } }, { status: "error", error: 3 }]) {
      expect((await call(returning(value))).result).toMatchObject({ status: "error", error: shape });
    }
    const stream = defineTool("Streams", async function* () {
      yield { type: "complete", output: { rows: new Set() } };
    });
    expect((await call(stream)).result).toMatchObject({ error: expect.stringContaining('"rows" is a Set') });
  });
});
