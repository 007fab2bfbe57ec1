// Tools that a client answers: a session is suspended for them, accepts results in parts, and can be stored meanwhile.

import { expect, it } from "vitest";

import { createSession } from "#session/index.ts";
import type { AgentSession } from "#session/index.ts";

import {
  add,
  answer,
  confirm,
  locate,
  outline,
  run,
  scripted,
  session,
  transcript,
  user,
} from "./support/scripted-session.ts";

const calls = [
  { name: "locate", arguments: { precision: "city" } },
  { name: "add", arguments: { a: 1, b: 2 } },
  { name: "confirm", arguments: {} },
];
const script = [{ text: "Let me see.", toolCalls: calls }, { text: "3 in Lisbon." }, { text: "Good bye." }];
const tools = [add, locate, confirm];

function pendingIds(of: AgentSession): string[] {
  return (of.pendingToolCalls ?? []).map(({ id }) => id);
}

it("ENTRY4 Calls of remote tools suspend the session when local ones are done, and event, result and session name them", async () => {
  const of = session(script, tools);
  const { events, result } = await run(of, "Where am I, and what is 1 + 2?");
  const pending = [
    { id: expect.any(String), name: "locate", arguments: { precision: "city" } },
    { id: expect.any(String), name: "confirm", arguments: {} },
  ];
  expect(result).toMatchObject({ status: "awaiting_tool_execution", pendingToolCalls: pending });
  expect(of).toMatchObject({ status: "awaiting_tool_execution", pendingToolCalls: pending });
  expect(events.at(-2)).toMatchObject({ type: "awaiting_tool_execution", sessionId: "session-1", toolCalls: pending });
  expect(outline(events).filter((type) => type.startsWith("tool_execution"))).toEqual([
    "tool_execution_start",
    "tool_execution_end",
  ]);
  expect(transcript(of.messages).slice(2)).toEqual(["add: 3"]);
});

it("ENTRY4 Results are assigned to their calls, and the model reads them", async () => {
  const received: string[] = [];
  const of = session(({ step, messages }) => {
    if (step === 0) return { toolCalls: calls };
    received.push(...messages.flatMap(({ role, content }) => (role === "tool" ? [content] : [])));
    return { text: "I see." };
  }, tools);
  await run(of, "Go");
  const [located = "", confirmed = ""] = pendingIds(of);
  const { events, result } = await run(of, [
    { ...answer(confirmed, "No."), isError: true },
    { role: "toolResult", toolCallId: located, output: [{ type: "text", text: "Lisbon" }], details: { lat: 38.7 } },
  ]);
  expect(received).toEqual(["Lisbon", "3", "No."]);
  expect(result.status).toBe("completed");
  expect(of.pendingToolCalls).toBeUndefined();
  expect(outline(events)).toEqual([
    "session_start",
    "message_start",
    "message_end",
    "message_start",
    "message_end",
    "message_start",
    "text_start",
    "text_delta",
    "text_end",
    "message_end",
    "session_end",
  ]);
  expect(result.messages.slice(0, 2)).toEqual([
    {
      role: "toolResult",
      toolCallId: located,
      toolName: "locate",
      content: "Lisbon",
      details: { lat: 38.7 },
      isError: false,
    },
    { role: "toolResult", toolCallId: confirmed, toolName: "confirm", content: "No.", isError: true },
  ]);
});

it("ENTRY4 Results may be posted in parts, and the session waits until the last one arrives", async () => {
  const of = session(script, tools);
  await run(of, "Go");
  const [located = "", confirmed = ""] = pendingIds(of);
  const first = await run(of, [answer(confirmed, "Yes.")]);
  expect(first.result.status).toBe("awaiting_tool_execution");
  expect(first.result.pendingToolCalls?.map(({ id }) => id)).toEqual([located]);
  expect(transcript(first.result.messages)).toEqual(["confirm: Yes."]);
  expect(pendingIds(of)).toEqual([located]);
  const second = await run(of, [answer(located, "Lisbon")]);
  expect(transcript(second.result.messages)).toEqual(["locate: Lisbon", "assistant: 3 in Lisbon."]);
  expect(of.status).toBe("completed");
});

it("ENTRY5 A conversation continues over many executions, and the model is sent all of it", async () => {
  const observed: number[] = [];
  const of = session(({ messages, step }) => {
    observed.push(messages.length);
    return step === 0 && messages.length === 1 ? { toolCalls: calls } : { text: `Turn ${observed.length}.` };
  }, tools);
  await run(of, "One");
  await run(
    of,
    pendingIds(of).map((id) => answer(id, "Yes.")),
  );
  await run(of, "Two");
  await run(of, "Three");
  // user; user, answer, three results; those, an answer, user; those, an answer, user.
  expect(observed).toEqual([1, 5, 7, 9]);
  expect(of.messages).toHaveLength(10);
});

it.each([
  ["at rest", 0],
  ["where one of two results is there", 1],
])("ENTRY6 A session that is restored from JSON continues like the original session, %s", async (_, given) => {
  const of = session(script, tools);
  await run(of, "Where am I, and what is 1 + 2?");
  for (const id of pendingIds(of).slice(0, given)) await run(of, [answer(id, "Lisbon")]);
  const stored = JSON.parse(JSON.stringify(of)) as AgentSession;
  const context = { systemPrompt: "Be brief.", messages: stored.messages, tools };
  const again = createSession(stored.id, context, { model: scripted(script) });
  expect(JSON.parse(JSON.stringify(again))).toEqual(stored);
  const rest = pendingIds(again).map((id) => answer(id, "Lisbon"));
  const { events } = await run(again, rest);
  const emitted = await run(of, rest);
  expect(events).toEqual(emitted.events);
  expect(again.messages).toEqual(of.messages);
  expect((await run(again, "Bye")).result).toEqual((await run(of, "Bye")).result);
});

it("ENTRY6 Missing fields in the messages of an earlier conversation are filled in, and the error for an invalid message or a missing result names its position", () => {
  const call = { type: "toolCall" as const, id: "c1", name: "locate", arguments: {} };
  const create = (messages: readonly unknown[]) =>
    createSession("s", { messages: messages as never, tools }, { model: scripted([]) });
  const of = create([user("Hello"), { role: "assistant", content: [{ type: "text", text: "Hi." }] }]);
  expect(of.messages).toEqual([
    user("Hello"),
    {
      role: "assistant",
      content: [{ type: "text", text: "Hi." }],
      stopReason: "stop",
      model: null,
      provider: null,
      usage: null,
      cost: null,
    },
  ]);
  expect(() => create([user("Hello"), { role: "asistant", content: [] }])).toThrow(/messages\.1/);
  expect(() => create([answer("c1", "Lisbon")])).toThrow(/messages\.0: answers "c1", which no message before it calls/);
  expect(() => create([{ role: "assistant", content: [call] }, user("Well?")])).toThrow(/messages\.0: calls "c1"/);
  const two = { role: "assistant", content: [call, { ...call, id: "c2" }] };
  expect(() => create([two, answer("c1", "Lisbon"), user("Well?")])).toThrow(/messages\.0: calls "c2"/);
  expect(create([two, answer("c1", "Lisbon")]).pendingToolCalls).toMatchObject([{ id: "c2", name: "locate" }]);
  const lost = {
    role: "assistant",
    content: [
      { ...call, name: "search" },
      { ...call, id: "c2" },
    ],
  };
  expect(() => create([lost])).toThrow(/waits for a result of "search", which is not among the tools/);
});

it("ENTRY6 The outcome of a local call is unknown if its session was interrupted before the result was stored", async () => {
  const of = session(script, tools);
  await run(of, "Go");
  const messages = of.messages.filter(({ role }) => role !== "toolResult");
  const again = createSession("s", { messages, tools }, { model: scripted(script) });
  expect(again.pendingToolCalls).toMatchObject([{ name: "locate" }, { name: "confirm" }]);
  const { result } = await run(
    again,
    pendingIds(again).map((id) => answer(id, "Yes.")),
  );
  const cut = result.messages.find((message) => message.role === "toolResult" && message.toolName === "add");
  expect(cut).toMatchObject({ isError: true, content: expect.stringContaining("Whether it took effect is unknown") });
});
