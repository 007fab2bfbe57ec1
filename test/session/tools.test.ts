// The tools of a session: their schemas, their types, and their form in JSON.

import { expect, expectTypeOf, it } from "vitest";

import { executeRequestSchema } from "#contract/session/execute-request.ts";
import { createSimpleTool, isLocalTool } from "#session/index.ts";
import type { AgentTool, AnyAgentTool } from "#session/index.ts";

import { add, answer, run, search, session, transcript } from "./support/scripted-session.ts";

/** Calls a tool once with these arguments, and returns what the model reads. */
async function readOf(tool: AnyAgentTool, args: Record<string, unknown>): Promise<string> {
  const of = session([{ toolCalls: [{ name: tool.name, arguments: args }] }, { text: "I see." }], [tool]);
  await run(of, "Go");
  return transcript(of.messages).at(-2) ?? "";
}

it("ENTRY12 Arguments are checked against the tool's JSON Schema, and the model reads why they do not fit", async () => {
  expect(await readOf(add, { a: 1, b: 2 })).toBe("add: 3");
  const read = await readOf(add, { a: "one" });
  expect(read).toMatch(/^add failed: The arguments do not fit the tool's schema\. a: .*number.*; b: /);
});

it("ENTRY12 A remote tool's arguments are checked too, before its call becomes pending", async () => {
  const remote = { ...add, execute: undefined } as unknown as AnyAgentTool;
  expect(await readOf(remote, { a: "one" })).toMatch(/^add failed: The arguments do not fit/);
});

it("ENTRY12 Defaults of the schema are filled in, and fields that the schema does not name are passed to the tool if the schema allows them", async () => {
  const received: unknown[] = [];
  const tool = createSimpleTool(
    { name: "echo", label: "Echo", parameters: { type: "object", properties: { n: { type: "integer", default: 3 } } } },
    (_id, params) => {
      received.push(params);
      return Promise.resolve({ output: "ok" });
    },
  );
  await readOf(tool, { more: true });
  expect(received).toEqual([{ n: 3, more: true }]);
  const closed = { ...tool, parameters: { type: "object", properties: {}, additionalProperties: false } };
  expect(await readOf(closed, { more: true })).toMatch(/failed.*more/);
});

it.each([
  ["not a schema", "text"],
  ["missing", undefined],
  ["no object", { type: "string" }],
  ["of no type", { properties: {} }],
  ["an unknown type", { type: "object", properties: { a: { type: "strang" } } }],
  ["a negation", { type: "object", properties: { a: { not: { type: "string" } } } }],
  ["a condition", { type: "object", if: {}, else: {} }],
  ["a reference to elsewhere", { type: "object", properties: { a: { $ref: "https://example.com/a.json" } } }],
  ["a reference to nothing", { type: "object", properties: { a: { $ref: "#/$defs/a" } } }],
  ["a pattern that is none", { type: "object", properties: { a: { type: "string", pattern: "(" } } }],
])("ENTRY12 Parameters that are %s are refused when the session is created, with the tool's name", (_, parameters) => {
  expect(() => session([], [{ ...search, parameters: parameters as never }])).toThrow(
    /The parameters of the tool "search" cannot be checked\. \S/,
  );
});

it("ENTRY12 A tool whose JSON Schema object contains itself is refused when the session is created", () => {
  const circle: Record<string, unknown> = { type: "object" };
  circle["properties"] = { self: circle };
  expect(() => session([], [{ ...search, parameters: circle }])).toThrow(/"search" cannot be checked/);
});

it("ENTRY13 A tool that was serialised as JSON has no function, and is a remote tool in process and at the session endpoint", async () => {
  const tools = [add, search];
  const sent = JSON.parse(JSON.stringify(tools)) as AgentTool[];
  expect(tools.map(isLocalTool)).toEqual([true, true]);
  expect(sent.map(isLocalTool)).toEqual([false, false]);
  const body = { input: { role: "user", content: "Hello" }, context: { messages: [], tools: sent } };
  expect(executeRequestSchema.safeParse(body).error).toBeUndefined();
  const of = session([{ toolCalls: [{ name: "add", arguments: { a: 1, b: 2 } }] }, { text: "3." }], sent);
  expect((await run(of, "What is 1 + 2?")).result.pendingToolCalls).toMatchObject([
    { name: "add", arguments: { a: 1, b: 2 } },
  ]);
  const [call] = of.pendingToolCalls ?? [];
  const { result } = await run(of, [answer(call?.id ?? "", "3")]);
  expect(transcript(result.messages)).toEqual(["add: 3", "assistant: 3."]);
});

it("ENTRY13 The model reads a tool's description, else its label, else its name", async () => {
  const received: string[] = [];
  const { description: _, ...labelled } = search;
  const bare = { name: "bare", parameters: { type: "object" } } as unknown as AnyAgentTool;
  const of = session(
    ({ tools }) => {
      received.push(...tools.map(({ description }) => description));
      return { text: "I see." };
    },
    [add, labelled, bare],
  );
  await run(of, "Go");
  expect(received).toEqual(["Adds two numbers.", "Search", "bare"]);
});

it("ENTRY13 The parameters of a tool's function have the static type of the tool's schema, as TypeBox defines it, if the schema has one", () => {
  // As TypeBox makes them: a schema that carries its type.
  const schema = { type: "object", properties: { city: { type: "string" } } } as unknown as {
    readonly type: "object";
    readonly static: { city: string };
  };
  createSimpleTool({ name: "typed", label: "Typed", parameters: schema }, (_id, params) => {
    expectTypeOf(params).toEqualTypeOf<{ city: string }>();
    return Promise.resolve({ output: params.city });
  });
  createSimpleTool({ name: "plain", label: "Plain", parameters: { type: "object" } }, (_id, { city }) =>
    Promise.resolve({ output: typeof city === "string" ? city : "nowhere" }),
  );
  expectTypeOf(search).toExtend<AnyAgentTool>();
});
