// Messages of conversations for tests of compaction. The time of a message is its index, so that a test recognises it after it was cut.

import fc from "fast-check";

import type { AgentMessage, AssistantMessage, Content, ToolResultMessage, Usage } from "#facade/phi/loop-messages.ts";
import { extensionMessage, userMessage } from "#facade/phi/loop-messages.ts";

export const noUsage: Usage = { input: 0, output: 0, cache_read: 0, cache_write: 0, total_tokens: 0 };

export const text = (value: string): Content => ({ type: "text", text: value });

export const user = (value: string, timestamp = 0): AgentMessage => userMessage(value, timestamp);

export function assistant(
  content: string | Content[],
  timestamp = 0,
  rest: Partial<AssistantMessage> = {},
): AssistantMessage {
  const blocks = typeof content === "string" ? [text(content)] : content;
  const made = { role: "assistant", content: blocks, model: "m", provider: "mock", usage: noUsage, timestamp } as const;
  return { ...made, stop_reason: "stop", ...rest };
}

export const call = (id: string, name = "look", given: object = { at: "there" }): Content =>
  ({ type: "toolCall", id, name, arguments: given }) as Content;

export function result(id: string, content: string | Content[], timestamp = 0): ToolResultMessage {
  const blocks = typeof content === "string" ? [text(content)] : content;
  return { role: "toolResult", tool_call_id: id, tool_name: "look", content: blocks, is_error: false, timestamp };
}

/** The text of a message; its blocks joined. */
export function textOf(message: AgentMessage | undefined): string {
  if (message === undefined || message.role === "extension") return "";
  return message.content.map((block) => (block.type === "text" ? block.text : `<${block.type}>`)).join("");
}

/** A text of `count` lines: "line 1" and so on. */
export const lines = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at + 1}`).join("\n");

const words = fc.oneof(
  { weight: 4, arbitrary: fc.nat(60).map((count) => "word ".repeat(count)) },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 60 }) },
  { weight: 1, arbitrary: fc.nat(400).map((count) => "🧵ä".repeat(count)) },
  { weight: 1, arbitrary: fc.nat(200).map((count) => "a line of a result\n".repeat(count)) },
);

const image = fc.nat(400).map((size): Content => ({
  type: "image",
  data: "A".repeat(size * 400),
  mime_type: "image/png",
}));

const block = fc.oneof(
  { weight: 6, arbitrary: words.map(text) },
  { weight: 1, arbitrary: image },
  { weight: 1, arbitrary: words.map((thinking): Content => ({ type: "thinking", thinking, signature: "s" })) },
);

const blocks = fc.array(block, { maxLength: 2 });

/** A part of a conversation. `reused` calls have the ids that every turn has; others have ids of their own. */
const turn = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("user" as const), content: blocks }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("assistant" as const),
      content: blocks,
      results: fc.array(blocks, { maxLength: 3 }),
      given: words,
      reused: fc.boolean(),
      /** An application's message between a call and its results. */
      between: fc.boolean(),
      /** The last call has no result, as after an abort. */
      isOpen: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("extension" as const), data: words }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("orphan" as const), content: blocks }) },
);

type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

function messagesOf(each: Turn, at: number): AgentMessage[] {
  switch (each.kind) {
    case "user":
      return [userMessage(each.content, 0)];
    case "extension":
      return [extensionMessage("note", each.data)];
    case "orphan":
      return [result(`orphan-${at}`, each.content)];
    case "assistant": {
      const { content, results, given, reused, between, isOpen } = each;
      const ids = results.map((_, index) => (reused ? `call-${index}` : `call-${at}-${index}`));
      const open = isOpen ? [call(`open-${at}`)] : [];
      return [
        assistant([...content, ...ids.map((id) => call(id, "look", { given })), ...open]),
        ...(between ? [extensionMessage("note", "between")] : []),
        ...results.map((each_, index) => result(ids[index] as string, each_)),
      ];
    }
  }
}

/** Any conversation of up to `maxTurns` turns. */
export const conversation = (maxTurns: number): fc.Arbitrary<AgentMessage[]> =>
  fc.array(turn, { minLength: 1, maxLength: maxTurns }).map((turns) => numbered(turns.flatMap(messagesOf)));

/** The messages with their indexes as times. Their data is frozen, so that a change of it throws. */
export function numbered(messages: readonly AgentMessage[], from = 0): AgentMessage[] {
  return messages.map((message, at) =>
    frozen(
      message.role === "extension"
        ? { ...message, data: { at: from + at, value: message.data } }
        : { ...message, timestamp: from + at },
    ),
  );
}

function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const field of Object.values(value)) frozen(field);
  return Object.freeze(value);
}

/** The index of a message of `numbered`. */
export function indexOf(message: AgentMessage): number {
  return message.role === "extension" ? (message.data as { at: number }).at : message.timestamp;
}
