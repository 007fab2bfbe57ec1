// The parts of a request as the context panel lists them.

import { describe, expect, it } from "vitest";

import type { ThreadContext } from "#client/index.ts";
import {
  largestMessages,
  lastPromptTokens,
  partsOf,
  shortenedIds,
} from "#playground/conversation/context/request-parts.ts";

import { message } from "./support/message.ts";

type Sent = ThreadContext["messages"][number];
const sent = (id: string | null, role: Sent["role"], tokens: number, files = 0): Sent => ({
  id,
  role,
  kind: id === null ? "marker" : "message",
  tokens,
  file_tokens: files,
  shortened: false,
});
const context: ThreadContext = {
  prompt: "p",
  model: "m",
  window: 100,
  budget: 80,
  tokens: 66,
  system: 5,
  tools: [
    { name: "one", tokens: 3 },
    { name: "two", tokens: 4 },
  ],
  messages: [sent(null, "user", 2), sent("q", "user", 30, 20), sent("a", "assistant", 10), sent("t", "tool", 12)],
  dropped: 3,
};

describe("the parts of a request", () => {
  it("The context panel's parts add up to the whole request, and files are listed apart from their messages", () => {
    const parts = partsOf(context);
    expect(parts.map(({ name, number, tokens }) => [name, number, tokens])).toEqual([
      ["System prompt", null, 5],
      ["Tools", 2, 7],
      ["Line in place of 3 messages", null, 2],
      ["User messages", 1, 10],
      ["Answers", 1, 10],
      ["Tool results", 1, 12],
      ["Messages' images and files", 1, 20],
    ]);
    expect(parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(context.tokens);
  });

  it("The context panel names a summary, and lists apart the messages that a hook added", () => {
    const [marker, ...others] = context.messages;
    const messages = [{ ...sent(null, "user", 2), kind: "summary" as const }, ...others];
    expect(partsOf({ ...context, messages, dropped: 1 })[2]).toEqual({
      name: "Summary of 1 message",
      number: null,
      tokens: 2,
    });
    const added = [{ ...sent(null, "user", 8), kind: "message" as const }, marker ?? sent(null, "user", 2), ...others];
    expect(partsOf({ ...context, messages: added }).slice(2, 4)).toEqual([
      { name: "Line in place of 3 messages", number: null, tokens: 2 },
      { name: "Messages that are not stored", number: 1, tokens: 8 },
    ]);
  });

  it("The conversation marks the stored messages that are sent shortened", () => {
    const messages = context.messages.map((one) => ({ ...one, shortened: one.id !== "a" }));
    expect(shortenedIds({ ...context, messages })).toEqual(["q", "t"]);
  });

  it("The context panel lists at most ten of the largest stored messages, the largest first", () => {
    expect(largestMessages(context).map(({ id }) => id)).toEqual(["q", "t", "a"]);
    const many = Array.from({ length: 30 }, (_, at) => sent(`m${String(at)}`, "user", at));
    expect(largestMessages({ ...context, messages: many }).map(({ tokens }) => tokens)).toEqual([
      29, 28, 27, 26, 25, 24, 23, 22, 21, 20,
    ]);
  });

  it("The context panel's token count of the last request includes cached tokens and ignores answers of nested prompts", () => {
    const usage = { input: 10, output: 5, cache_read: 3, cache_write: 2, total_tokens: 20 };
    const nested = message("n", { parent_id: "t", usage: { ...usage, input: 900 } });
    expect(lastPromptTokens([message("a", { usage }), nested, message("grows", { usage: null })])).toBe(15);
    expect(lastPromptTokens([nested])).toBeNull();
  });
});
