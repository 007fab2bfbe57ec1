// The token counts of texts, blocks and messages (REQ-054, REQ-055, REQ-162).

import fc from "fast-check";
import { expect, it } from "vitest";

import { compactMessages } from "#facade/phi/context/compact-messages.ts";
import {
  HeuristicTokenCounter,
  contentTokens,
  estimateTokens,
  messageTokens,
  totalTokens,
} from "#facade/phi/context/token-counter.ts";
import { LoopError } from "#facade/phi/loop-error.ts";
import type { AgentMessage, Content } from "#facade/phi/loop-messages.ts";

import { assistant, call, conversation, result, text, user } from "./support/conversation-messages.ts";

const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);

const image = (bytes: number): Content => ({
  type: "image",
  data: Buffer.alloc(bytes).toString("base64"),
  mime_type: "image/png",
});

it("The tokens of a text are a quarter of its UTF-8 bytes, rounded up", () => {
  expect(["", "hello", "four", "äöü", "🧵🧵"].map((each) => estimateTokens(each))).toEqual([0, 2, 1, 2, 2]);
  expect(new HeuristicTokenCounter().count("hello")).toBe(2);
});

it("The tokens of an image are a 750th of its bytes, from 85 to 16,000", () => {
  const counts = [0, 63_749, 64_500, 64_499, 12_000_000, 13_000_000].map((bytes) => contentTokens([image(bytes)]));
  expect(counts).toEqual([85, 85, 86, 85, 16_000, 16_000]);
});

it("A call counts its name, the JSON of its arguments and 8 tokens", () => {
  expect(contentTokens([call("c", "read_file", { path: "a.txt" })])).toBe(3 + 4 + 8);
  expect(contentTokens([{ type: "toolCall", id: "c", name: "abcd", arguments: "not json" }])).toBe(1 + 3 + 8);
});

it("A message of a user or a model adds 4 tokens, a tool result 8 and its name, and an application's message 4 to its data", () => {
  expect(messageTokens(user("hello"))).toBe(6);
  expect(messageTokens(assistant([{ type: "thinking", thinking: "hello" }, text("hello")]))).toBe(8);
  expect(messageTokens(result("c", "hello"))).toBe(2 + 1 + 8);
  expect(messageTokens({ role: "extension", kind: "ui_update", data: { a: 1 } })).toBe(2 + 4);
  expect(messageTokens({ role: "extension", kind: "k", data: undefined } as unknown as AgentMessage)).toBe(4);
});

it("Any message has the token count of a naive model of the formulas", () => {
  const bytes = (value: string) => Math.ceil(Buffer.byteLength(value) / 4);
  const naive = (content: Content): number => {
    if (content.type === "text") return bytes(content.text);
    if (content.type === "thinking") return bytes(content.thinking);
    if (content.type === "toolCall") return bytes(content.name) + bytes(JSON.stringify(content.arguments)) + 8;
    const tokens = Math.floor(Buffer.from(content.data, "base64").length / 750);
    return tokens < 85 ? 85 : tokens > 16_000 ? 16_000 : tokens;
  };
  let samples = 0;
  fc.assert(
    fc.property(conversation(12), (messages) => {
      for (const message of messages) {
        samples += 1;
        if (message.role === "extension") {
          expect(messageTokens(message)).toBe(bytes(JSON.stringify(message.data)) + 4);
          continue;
        }
        const blocks = message.content.reduce((sum, block) => sum + naive(block), 0);
        const overhead = message.role === "toolResult" ? bytes(message.tool_name) + 8 : 4;
        expect(messageTokens(message)).toBe(blocks + overhead);
      }
    }),
    { seed, numRuns: 1200 },
  );
  expect(samples).toBeGreaterThan(10_000);
});

it("A program's counter counts every text of an estimate, and decides about compaction", () => {
  const counted: string[] = [];
  const counter = {
    count(value: string) {
      counted.push(value);
      return value.length * 100;
    },
  };
  const messages = [user("ask"), assistant([text("say"), call("c", "tool", {})]), result("c", "got")];
  expect(totalTokens(messages, counter)).toBe(4 + 300 + 4 + 300 + 400 + 200 + 8 + 8 + 300 + 400);
  expect(counted).toEqual(["ask", "say", "tool", "{}", "got", "look"]);
  const config = { max_context_tokens: 2000, system_prompt_tokens: 0 };
  expect(compactMessages(messages, config)).toBe(messages);
  expect(compactMessages([...messages, user("more")], { ...config, token_counter: counter })).not.toContainEqual(
    user("ask"),
  );
});

it("A fraction that a counter returns is rounded up, so that sums are exact", () => {
  expect(estimateTokens("a text", { count: (value) => value.length / 4 })).toBe(2);
});

it("A counter that returns no number of at least 0 is refused by what it returned", () => {
  for (const [returned, named] of [
    [-1, "returned -1"],
    [Number.NaN, "returned NaN"],
    [Infinity, "returned Infinity"],
    [Promise.resolve(3), "returned a value of the type object"],
    [undefined, "returned a value of the type undefined"],
  ] as const) {
    const count = () => returned as unknown as number;
    expect(() => estimateTokens("a text", { count })).toThrow(LoopError);
    expect(() => estimateTokens("a text", { count })).toThrow(named);
  }
});
