// Hooks: their order, their time limit, and that no hook can end a run.

import { expect, it } from "vitest";

import type { ToolAnswer } from "#core/record/awaited.ts";

import { messageRecord } from "../store/records.ts";
import { hookRunner } from "./support/hooks.ts";

const call = { id: "c1", name: "it", arguments: "{}" };
const answer: ToolAnswer = { status: "success", result: "raw", details: { kept: true } };
const record = messageRecord(1);

it("Hooks run one after the other in the order of their files, and each receives the value that the one before returned", async () => {
  const { runner, problems } = hookRunner(
    [
      "before_create_message",
      (_: never, message: { content: string }) => ({ ...message, content: `${message.content} 1` }),
    ],
    ["after_create_message", () => undefined],
    ["before_create_message", async (_: never, message: { content: string }) => ({ content: `${message.content} 2` })],
  );
  expect((await runner.beforeCreateMessage(record)).parts).toEqual([{ type: "text", text: "message 1 1 2" }]);
  expect(problems).toEqual([]);
});

it("A hook that returns null or undefined keeps the earlier value, and nothing is logged", async () => {
  for (const nothing of [null, undefined]) {
    const { runner, problems } = hookRunner(
      ["before_create_message", () => nothing],
      ["after_tool_call_success", () => nothing],
      ["before_store_tool_result", () => nothing],
      ["filter_messages", () => nothing],
      ["before_update_message", () => nothing],
    );
    expect(await runner.beforeCreateMessage(record)).toEqual(record);
    expect(await runner.afterToolCall(call, answer)).toEqual(answer);
    expect(await runner.beforeStoreToolResult(call, answer)).toEqual(answer);
    expect(await runner.filterMessages([])).toEqual([]);
    expect(await runner.beforeUpdateMessage("m", { content: "x" })).toEqual({ content: "x" });
    expect(problems).toEqual([]);
  }
});

const circle: Record<string, unknown> = {};
circle["self"] = circle;

it.for<[string, unknown]>([
  ["text", "yes"],
  ["a number", 7],
  ["a list", [1]],
  ["a circle", { metadata: circle }],
  ["a big number", { metadata: { n: 1n } }],
])(
  "If a hook returns %s, this is logged, and the earlier value is used",
  async ([, nonsense], { expect: expectHere }) => {
    const { runner, problems } = hookRunner(["before_create_message", () => nonsense]);
    expectHere(await runner.beforeCreateMessage(record)).toEqual(record);
    expectHere(problems).toMatchObject([{ hook: "before_create_message", file: "1.ts" }]);
  },
);

it.for<[string, unknown]>([
  ["text", "yes"],
  ["an object", { messages: [] }],
  ["a list with a hole", [null]],
  ["a list of words", ["hi"]],
  ["messages without a role", [{ content: "hi" }]],
  ["messages without words", [{ role: "user" }]],
  ["one message for a list", { role: "user" }],
  ["messages whose words are a list", [{ role: "user", content: [{ type: "text", text: "hi" }] }]],
  ["messages with a circle", [{ role: "assistant", content: null, tool_calls: circle }]],
  ["messages with a function", [{ role: "user", content: "hi", later: () => 1 }]],
])(
  "If a history hook returns %s, this is logged, and the original history is used",
  async ([, nonsense], { expect: expectHere }) => {
    const given = [{ role: "user", content: "hello" }];
    const { runner, problems } = hookRunner(
      ["prefilter_llm_history", () => nonsense],
      ["filter_messages", () => nonsense],
    );
    expectHere(await runner.prefilterHistory(given)).toEqual([{ role: "user", content: "hello" }]);
    expectHere(await runner.filterMessages([])).toEqual([]);
    expectHere(problems.map(({ hook }) => hook)).toEqual(
      expect.arrayContaining(["prefilter_llm_history", "filter_messages"]),
    );
  },
);

it("If a hook throws or rejects, the error is logged with its stack, and the next hook runs", async () => {
  const { runner, problems } = hookRunner(
    ["after_tool_call_success", () => Promise.reject(new Error("later"))],
    [
      "after_tool_call_success",
      () => {
        throw new Error("at once");
      },
    ],
    ["after_tool_call_success", (_: never, __: never, result: ToolAnswer) => ({ ...result, result: "third" })],
  );
  expect(await runner.afterToolCall(call, answer)).toEqual({ ...answer, result: "third" });
  expect(problems.map(({ problem }) => problem)).toEqual(["later", "at once"]);
  expect(problems[0]?.stack).toContain("later");
});

it("Whatever value a hook throws, it is logged as a text that fits into a row", async () => {
  const thrown = [Object.create(null) as object, new Error("x".repeat(3_000_000)), "x".repeat(3_000_000), null];
  for (const one of thrown) {
    const { runner, problems } = hookRunner(["before_create_message", () => Promise.reject(one as Error)]);
    expect(await runner.beforeCreateMessage(record)).toEqual(record);
    expect(problems).toHaveLength(1);
    expect(JSON.stringify(problems).length).toBeLessThan(9000);
  }
  const keys = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`key ${at}`, at]));
  const { runner, problems } = hookRunner(["before_create_message", () => keys]);
  expect(await runner.beforeCreateMessage(record)).toEqual(record);
  expect(problems[0]?.problem).toMatch(/^cannot change key 0, .*characters left out\]$/s);
});

it("If a hook does not return within thirty seconds, this is logged, and the hook is ignored", async () => {
  const { runner, problems, clock } = hookRunner(["before_create_message", () => new Promise(() => {})]);
  const done = runner.beforeCreateMessage(record);
  await clock.advance(29_999);
  expect(problems).toEqual([]);
  await clock.advance(1);
  expect(await done).toEqual(record);
  expect(problems).toMatchObject([{ problem: "did not finish within 30 s" }]);
  expect(clock.armed).toBe(0);
});

it("If a hook fails after it made changes, none of its changes has an effect", async () => {
  const spoil = (_: never, given: { metadata?: object; content?: string }[] | { metadata: object }) => {
    for (const one of Array.isArray(given) ? given : [given])
      Object.assign(one.metadata ?? one, { content: "spoiled" });
    if (Array.isArray(given)) given.pop();
    throw new Error("halfway");
  };
  const { runner } = hookRunner(
    ["before_create_message", spoil],
    ["after_create_message", spoil],
    ["prefilter_llm_history", spoil],
  );
  const kept = messageRecord(1, { metadata: { plan: { tier: "pro" } } });
  expect(await runner.beforeCreateMessage(kept)).toEqual(messageRecord(1, { metadata: { plan: { tier: "pro" } } }));
  await runner.afterCreateMessage(kept);
  expect(kept.metadata).toEqual({ plan: { tier: "pro" } });
  const history = [{ role: "user", content: "hello" }];
  expect(await runner.prefilterHistory(history)).toEqual([{ role: "user", content: "hello" }]);
});

it("A hook cannot change a message's id, role or call, and an unknown field is dropped, each with a log entry", async () => {
  const tool = messageRecord(1, {
    role: "tool",
    tool_call_id: "c1",
    result: { status: "success", result: "message 1" },
  });
  const changed = {
    id: "x",
    role: "user",
    tool_call_id: "c2",
    colour: "red",
    content: "new",
    silent: true,
    metadata: { a: 1 },
  };
  const { runner, problems } = hookRunner(["before_create_message", () => changed]);
  expect(await runner.beforeCreateMessage(tool)).toEqual({
    ...tool,
    parts: [{ type: "text", text: "new" }],
    result: { status: "success", result: "new" },
    silent: true,
    metadata: { a: 1 },
  });
  expect(problems).toMatchObject([{ problem: "cannot change id, role, tool_call_id, colour; the change was dropped" }]);
});

it("A hook may change the fields of a tool result that it receives; other fields and wrong values are dropped with a log entry", async () => {
  const wrong = { status: "fine", result: 7, error: "e", details: { mine: 1 } };
  const { runner, problems } = hookRunner(["before_store_tool_result", () => wrong]);
  expect(await runner.beforeStoreToolResult(call, answer)).toEqual({ ...answer, error: "e" });
  expect(problems).toMatchObject([{ problem: "cannot change status, result, details; the change was dropped" }]);
});

it("Successful and failed calls have separate hooks", async () => {
  const received: string[] = [];
  const { runner } = hookRunner(
    ["after_tool_call_success", () => void received.push("success")],
    ["after_tool_call_failure", () => void received.push("failure")],
  );
  await runner.afterToolCall(call, answer);
  await runner.afterToolCall(call, { status: "error", error: "e" });
  expect(received).toEqual(["success", "failure"]);
});

it("A hook may change text and metadata of a message update; other fields that it adds are dropped with a log entry", async () => {
  const { runner, problems } = hookRunner([
    "before_update_message",
    () => ({ content: 7, metadata: { a: 1 }, role: "x" }),
  ]);
  expect(await runner.beforeUpdateMessage("m", { content: "x" })).toEqual({ metadata: { a: 1 } });
  expect(problems).toMatchObject([{ problem: "cannot change role, content; the change was dropped" }]);
});

it("Wrong values for the fields of a message are dropped, and one log entry names all of these fields", async () => {
  const { runner, problems } = hookRunner([
    "before_create_message",
    () => ({ content: 7, name: ["x"], silent: "yes", metadata: "none", tool_calls: "[]" }),
  ]);
  expect(await runner.beforeCreateMessage(record)).toEqual(record);
  expect(problems).toMatchObject([
    { problem: "cannot change content, name, silent, metadata, tool_calls; the change was dropped" },
  ]);
});

it("If a hook makes a message larger than a row, this is logged, and the original message is used", async () => {
  const huge = "x".repeat(1024 * 1024 + 1);
  const { runner, problems } = hookRunner(
    ["before_create_message", () => ({ content: huge })],
    ["before_create_message", () => ({ metadata: { huge } })],
    ["before_update_message", () => ({ content: huge })],
  );
  expect(await runner.beforeCreateMessage(record)).toEqual(record);
  expect(await runner.beforeUpdateMessage("m", { content: "x" })).toEqual({ content: "x" });
  expect(problems.map(({ problem }) => problem)).toEqual(
    Array.from({ length: 3 }, () => expect.stringMatching(/^returned 104\d{4} bytes, more than the limit/)),
  );
  // A value that was too large before a hook ran may stay so.
  const { runner: gentle, problems: none } = hookRunner(["before_create_message", () => ({ content: "short" })]);
  const large = messageRecord(1, { parts: [{ type: "text", text: huge }] });
  expect((await gentle.beforeCreateMessage(large)).parts).toEqual([{ type: "text", text: "short" }]);
  expect(none).toEqual([]);
});

it("A field keeps its value if the hook `filter_messages` or `prefilter_llm_history` may not change it, and the attempt is logged once in a run", async () => {
  const messages = [{ id: "m1", role: "user" as const, content: "hello", created_at: 1 }];
  const foreign = (_: never, list: object[]) => list.map((one) => ({ ...one, role: "assistant", colour: "red" }));
  const inPlace = (_: never, list: { role: string; content: string | null }[]) => {
    for (const one of list) Object.assign(one, { role: "system", tool_call_id: "c9", content: "changed" });
    return list;
  };
  const { runner, problems } = hookRunner(["filter_messages", foreign], ["prefilter_llm_history", inPlace]);
  for (const _ of [1, 2]) {
    await runner.filterMessages(messages);
    expect(await runner.prefilterHistory([{ role: "user", content: "hello" }])).toEqual([
      { role: "user", content: "changed" },
    ]);
  }
  expect(problems.map(({ hook, problem }) => [hook, problem])).toEqual([
    ["filter_messages", "cannot change colour, role; the change was dropped"],
    ["prefilter_llm_history", "cannot change role, tool_call_id; the change was dropped"],
  ]);
});

it("Hooks receive calls and results in the shapes of Standard Agents, and the state as the first argument", async () => {
  const received: unknown[][] = [];
  const see = (...values: unknown[]) => {
    received.push(values.map((value) => structuredClone(value)));
    return null;
  };
  const { runner } = hookRunner(
    ["after_tool_call_success", see],
    ["after_tool_call_failure", see],
    ["before_store_tool_result", see],
  );
  const failed: ToolAnswer = { status: "error", error: "no", stack: "at it", details: { kept: true } };
  await runner.afterToolCall({ ...call, arguments: '{"a":1}' }, answer);
  await runner.afterToolCall(call, failed);
  await runner.beforeStoreToolResult(call, failed);
  const requested = (json: string) => ({ id: "c1", type: "function", function: { name: "it", arguments: json } });
  expect(received.map(([, ...values]) => values)).toEqual([
    [requested('{"a":1}'), { status: "success", result: "raw" }],
    [requested("{}"), { status: "error", error: "no", stack: "at it" }],
    [requested("{}"), { status: "error", error: "no", stack: "at it" }],
  ]);
  expect(received.every(([state]) => typeof state === "object")).toBe(true);
});

it("If a hook changes a failed call to a success, its error is removed, and if a hook changes a success to a failure, the call has an error", async () => {
  const { runner } = hookRunner(
    ["after_tool_call_failure", () => ({ status: "success", result: "saved" })],
    ["after_tool_call_success", () => ({ status: "error", error: "not good enough" })],
  );
  expect(await runner.afterToolCall(call, { status: "error", error: "no", stack: "at it" })).toEqual({
    status: "success",
    result: "saved",
    stack: "at it",
  });
  expect(await runner.afterToolCall(call, answer)).toEqual({ ...answer, status: "error", error: "not good enough" });
});
