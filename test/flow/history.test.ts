// Which stored messages a step sends, and what the two history hooks may change.

import { expect, it } from "vitest";

import type { MessageRecord, StoredPart } from "#core/record/record.ts";
import { filteredMessages } from "#flow/request/filter-hooks.ts";
import { earlierMessages } from "#flow/request/history.ts";
import { checkTranscript } from "#models/provider/test/transcript-check.ts";
import { definePrompt } from "#spec/index.ts";
import type { AnyHookName, LLMMessage, Message, PromptDefinition } from "#spec/index.ts";

import { idOf, messageRecord } from "../store/records.ts";
import { hookRunner } from "./support/hooks.ts";

const image: StoredPart = { type: "image", mime_type: "image/png", data: "AA==" };
const signed = { provider: "anthropic", data: { signature: "s" } };
const thought: StoredPart = { type: "thinking", thinking: "hm", provider_data: signed };
const call: StoredPart = { type: "tool_call", id: "c1", name: "look", arguments: { at: 1 } };
const found = { status: "success", result: "message 3" } as const;

const user = messageRecord(1, { parts: [{ type: "text", text: "See this" }, image] });
const requested = messageRecord(2, { role: "assistant", parts: [thought, { type: "text", text: "I look" }, call] });
const result = messageRecord(3, { role: "tool", tool_call_id: "c1", name: "look", result: found });
const answer = messageRecord(4, { role: "assistant", parts: [{ type: "text", text: "Nice" }] });
const more = messageRecord(5, { parts: [{ type: "text", text: "More" }] });
const all = [user, requested, result, answer, more];

async function sent(records: readonly MessageRecord[], ...hooks: [AnyHookName, (...values: never[]) => unknown][]) {
  const { runner, problems } = hookRunner(...hooks);
  const messages = await filteredMessages({ included: records, stored: records }, runner, {
    side: "a",
    agent: { name: "main", sideA: { prompt: "p" } },
  });
  expect(checkTranscript(messages)).toBeNull();
  expect(problems).toEqual([]);
  return messages;
}

const prompt = (changes: Partial<PromptDefinition>) =>
  definePrompt({ name: "p", toolDescription: "", prompt: "", model: "m", ...changes });

it("A prompt's options decide whether the model is sent earlier runs not at all, without their tools, or completely", () => {
  expect(earlierMessages(all, prompt({}), [])).toEqual([]);
  const emitted = earlierMessages(
    [...all, messageRecord(6, { role: "assistant", parts: [thought, call] })],
    prompt({ includeChat: true }),
    [],
  );
  expect(emitted.map(({ id, parts }) => [id, parts.map(({ type }) => type).join(" ")])).toEqual([
    [idOf(1), "text image"],
    [idOf(2), "text"],
    [idOf(4), "text"],
    [idOf(5), "text"],
  ]);
  const whole = prompt({ includeChat: true, includePastTools: true, reasoning: { include: true } });
  expect(earlierMessages(all, whole, [])).toEqual(all);
});

it("The history is sent as it is stored if there are no hooks, except for extension messages and calls that still run", async () => {
  const extension = messageRecord(6, { role: "extension" });
  const running = messageRecord(7, { role: "tool", tool_call_id: "c9", status: "started" });
  const messages = await sent([...all, extension, running]);
  expect(messages.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
  expect(messages.map(({ parts }) => parts)).toEqual(all.map(({ parts }) => parts));
});

it("A `filter_messages` hook may leave out and reorder messages, and each sent call has a result and each result a call", async () => {
  const messages = await sent(all, ["filter_messages", (_: never, list: Message[]) => [...list].reverse().slice(0, 4)]);
  expect(messages.map(({ id, tool_call_id }) => tool_call_id ?? id)).toEqual([idOf(5), idOf(4), "c1"]);
  const lost = await sent(all, [
    "filter_messages",
    (_: never, list: Message[]) => list.filter(({ role }) => role !== "tool"),
  ]);
  expect(lost[2]).toMatchObject({ tool_call_id: "c1", result: { status: "error" } });
  const orphan = await sent(all, [
    "filter_messages",
    (_: never, list: Message[]) => list.filter(({ id }) => id !== idOf(2)),
  ]);
  expect(orphan.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
});

it("If a filter_messages hook changes the text of a message, the new text is sent, and the message keeps its images and signatures", async () => {
  const loud = (_: never, list: Message[]) =>
    list.map((one) => ({ ...one, content: one.content?.toUpperCase() ?? null }));
  const messages = await sent(all, ["filter_messages", loud]);
  expect(messages[0]?.parts).toEqual([{ type: "text", text: "SEE THIS" }, image]);
  expect(messages[1]?.parts).toEqual([thought, { type: "text", text: "I LOOK" }, call]);
  expect(messages[2]?.result).toEqual({ status: "success", result: "MESSAGE 3" });
});

it("If the hook `filter_messages` adds a message, it is sent as a new message", async () => {
  const add = (_: never, list: Message[]) => [...list, { role: "user", content: "Be brief." }];
  expect((await sent(all, ["filter_messages", add])).at(-1)).toMatchObject({
    id: null,
    role: "user",
    parts: [{ type: "text", text: "Be brief." }],
  });
});

it.for<[string, (list: LLMMessage[]) => LLMMessage[]]>([
  ["in place", (list) => list],
  ["by copy", (list) => list.map((one) => ({ ...one }))],
  ["by JSON", (list) => JSON.parse(JSON.stringify(list)) as LLMMessage[]],
])("A history keeps images, signatures and ids if a hook returns it %s", async ([, give], { expect: expectHere }) => {
  const messages = await sent(all, ["prefilter_llm_history", (_: never, list: LLMMessage[]) => give(list)]);
  expectHere(messages.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
  expectHere(messages.map(({ parts }) => parts)).toEqual(all.map(({ parts }) => parts));
});

it("If a history hook changes texts in the given objects, the new texts are sent, images are kept, and the text of a tool message becomes its result", async () => {
  const loud = (_: never, list: LLMMessage[]) => {
    for (const one of list) one.content = one.content?.toUpperCase() ?? null;
    return list;
  };
  const messages = await sent(all, ["prefilter_llm_history", loud]);
  expect(messages[0]?.parts).toEqual([{ type: "text", text: "SEE THIS" }, image]);
  expect(messages[1]?.parts).toEqual([thought, { type: "text", text: "I LOOK" }, call]);
  expect(messages[2]).toMatchObject({ id: idOf(3), result: { result: "MESSAGE 3" } });
});

it("A history hook may create, remove and repeat messages, and copy them with another text", async () => {
  const shape = (_: never, list: LLMMessage[]) => {
    const [first, , , said] = list;
    return [
      { role: "system", content: "Now." },
      { ...first, content: "Shorter" },
      said,
      said,
      { role: "colour", content: "x" },
    ];
  };
  const messages = await sent(all, ["prefilter_llm_history", shape]);
  expect(
    messages.map(({ role, parts }) => [role, parts.map((part) => (part.type === "text" ? part.text : part.type))]),
  ).toEqual([
    ["system", ["Now."]],
    ["user", ["Shorter"]],
    ["assistant", ["Nice", "Nice"]],
  ]);
});

it("If a history hook adds a call, the call is sent with its result or an error, also if its arguments are not JSON", async () => {
  const made = (id: string, text: unknown) => ({ id, type: "function", function: { name: "look", arguments: text } });
  const add = (_: never, list: LLMMessage[]) => [
    ...list,
    { role: "assistant", content: null, tool_calls: [made("n1", '{"a":1}'), made("n2", "{br"), { id: 7 }, null] },
    { role: "tool", content: "seen", tool_call_id: "n1", name: "look" },
  ];
  const messages = await sent(all, ["prefilter_llm_history", add]);
  expect(messages.slice(-3)).toMatchObject([
    {
      parts: [
        { id: "n1", arguments: { a: 1 } },
        { id: "n2", arguments: "{br", invalid: true },
      ],
    },
    { tool_call_id: "n1", result: { status: "success", result: "seen" } },
    { tool_call_id: "n2", result: { status: "error" } },
  ]);
});

it("The second history hook receives the history that the first one returned", async () => {
  const received: unknown[] = [];
  await sent(
    all,
    ["prefilter_llm_history", (_: never, list: LLMMessage[]) => list.slice(-1)],
    [
      "prefilter_llm_history",
      (_: never, list: LLMMessage[]) => void received.push(...list.map(({ content }) => content)),
    ],
  );
  expect(received).toEqual(["More"]);
});
