// The levels of compaction at their edges (REQ-056 to REQ-059, REQ-164).

import { describe, expect, it } from "vitest";

import {
  compactMessages,
  keepWithinBudget,
  level1TruncateToolOutputs,
  level2SummarizeOldTurns,
  level3DropMiddle,
} from "#facade/phi/context/compact-messages.ts";
import { totalTokens } from "#facade/phi/context/token-counter.ts";
import { LoopError } from "#facade/phi/loop-error.ts";
import type { AgentMessage } from "#facade/phi/loop-messages.ts";
import { extensionMessage } from "#facade/phi/loop-messages.ts";

import { assistant, call, lines, numbered, result, text, textOf, user } from "./support/conversation-messages.ts";

/** Messages of a user, 54 tokens each. */
const users = (count: number) => numbered(Array.from({ length: count }, (_, at) => user(`${at}`.padEnd(200, "x"))));

/** A turn with a call: two messages. */
const called = (id: string, output = "out") => [assistant([text(`say ${id}`), call(id)]), result(id, output)];

const texts = (messages: readonly AgentMessage[]) => messages.map((message) => textOf(message).slice(0, 70));

const budgetOf = (tokens: number) => ({ max_context_tokens: tokens, system_prompt_tokens: 0 });

describe("level 1", () => {
  it("A text of 200 lines has exactly 50 lines afterwards, a marker included, and one line more before it than after it", () => {
    const [, shortened] = level1TruncateToolOutputs([user("go"), result("c", lines(200))], 50);
    const kept = textOf(shortened).split("\n");
    expect(kept).toHaveLength(50);
    expect(kept[25]).toBe("[... 151 lines truncated ...]");
    expect([kept[0], kept[24], kept[26], kept[49]]).toEqual(["line 1", "line 25", "line 177", "line 200"]);
  });

  it("A text that has no more lines than the limit is unchanged, and so are messages that are no tool results", () => {
    const messages = [user(lines(60)), assistant(lines(60)), result("c", lines(50)), extensionMessage("k", lines(60))];
    const shortened = level1TruncateToolOutputs(messages, 50);
    expect(shortened.every((message, at) => message === messages[at])).toBe(true);
  });

  it("Each text of a result is shortened by itself, and other blocks stay", () => {
    const image = { type: "image", data: "AAAA", mime_type: "image/png" } as const;
    const [shortened] = level1TruncateToolOutputs([result("c", [text(lines(9)), image, text(lines(9))])], 4);
    const four = text("line 1\nline 2\n[... 6 lines truncated ...]\nline 9");
    expect(shortened).toMatchObject({ role: "toolResult", tool_call_id: "c", content: [four, image, four] });
  });

  it.each([
    [1, ["[... 9 lines truncated ...]"]],
    [2, ["line 1", "[... 8 lines truncated ...]"]],
    [3, ["line 1", "[... 7 lines truncated ...]", "line 9"]],
  ])("A text of nine lines is shortened to %i", (maxLines, expected) => {
    expect(textOf(level1TruncateToolOutputs([result("c", lines(9))], maxLines)[0]).split("\n")).toEqual(expected);
  });
});

describe("level 2", () => {
  it("An old answer and its results become one line of the user's role, and the recent messages are untouched", () => {
    const messages = [user("ask"), ...called("a"), ...called("b"), assistant("done", 7), user("more")];
    const summarized = level2SummarizeOldTurns(messages, 2);
    expect(texts(summarized)).toEqual([
      "ask",
      "[Summary] say a; called look",
      "[Summary] say b; called look",
      "done",
      "more",
    ]);
    expect(summarized.map(({ role }) => role)).toEqual(["user", "user", "user", "assistant", "user"]);
    expect(summarized.slice(-2)).toEqual(messages.slice(-2));
  });

  it("A list with at most the recent messages is returned unchanged", () => {
    const messages = [user("ask"), ...called("a")];
    for (const recent of [3, 4]) expect(level2SummarizeOldTurns(messages, recent)).toBe(messages);
  });

  it("The recent messages begin with the call if their first message would be its result", () => {
    const messages = [user("ask"), ...called("a"), ...called("b")];
    expect(texts(level2SummarizeOldTurns(messages, 1))).toEqual([
      "ask",
      "[Summary] say a; called look",
      "say b<toolCall>",
      "out",
    ]);
  });

  it("Results without a call before them are removed, and messages of users and the application stay", () => {
    const note = extensionMessage("note", 1);
    const messages = [result("none", "orphan"), note, user("ask"), user("more")];
    expect(level2SummarizeOldTurns(messages, 1)).toEqual([note, user("ask"), user("more")]);
  });

  it("A line has at most 200 bytes of the answer's text, ends with a whole character, and has no line break", () => {
    const line = textOf(level2SummarizeOldTurns([assistant(`${"🧵".repeat(300)}\nend`), user("more")], 1)[0]);
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual("[Summary] ".length + 200);
    expect(line).toMatch(/^\[Summary\] 🧵+…$/u);
  });

  it("An answer that failed before its first block leaves no line", () => {
    const failed = assistant([], 0, { stop_reason: "error", error_message: "refused" });
    expect(texts(level2SummarizeOldTurns([user("ask"), failed, user("more")], 1))).toEqual(["ask", "more"]);
  });
});

describe("level 3", () => {
  it("The first messages, a marker with the number of those between, and the recent messages are in this order", () => {
    const messages = users(20);
    const kept = level3DropMiddle(messages, { keep_first: 2, keep_recent: 3 }, 10_000);
    expect(kept.map((message) => messages.indexOf(message))).toEqual([0, 1, -1, 17, 18, 19]);
    expect(textOf(kept[2])).toBe("[Context compacted: 15 messages removed to fit context window]");
  });

  it("The first messages are fewer if the last of them is a call whose result would be removed", () => {
    const messages = [user("ask"), ...called("a"), ...users(5)];
    const kept = level3DropMiddle(messages, { keep_first: 2, keep_recent: 2 }, 10_000);
    expect(texts(kept.slice(0, 2))).toEqual(["ask", "[Context compacted: 5 messages removed to fit context window]"]);
  });

  it("More recent messages stay if the first of them is the result of an earlier call", () => {
    const messages = [...users(5), ...called("a"), user("more")];
    const kept = level3DropMiddle(messages, { keep_first: 1, keep_recent: 2 }, 10_000);
    expect(texts(kept.slice(2))).toEqual(["say a<toolCall>", "out", "more"]);
  });

  it("A result belongs to the nearest answer before it that has its call, because a provider may use an id again", () => {
    const messages = [user("ask"), ...called("c"), user("x"), ...called("c")];
    const kept = level3DropMiddle(messages, { keep_first: 1, keep_recent: 1 }, 10_000);
    expect(kept.map(({ role }) => role)).toEqual(["user", "user", "assistant", "toolResult"]);
  });

  it("The newest message that a model reads stays, whatever follows it and however few recent messages are configured", () => {
    const messages = [...users(5), extensionMessage("note", 1), extensionMessage("note", 2)];
    for (const keep_recent of [0, 1, 2])
      expect(level3DropMiddle(messages, { keep_first: 1, keep_recent }, 10_000).slice(2)).toEqual(messages.slice(4));
  });

  it("The newest messages that fit are kept if there is no middle to drop", () => {
    const messages = users(4);
    const kept = level3DropMiddle(messages, { keep_first: 2, keep_recent: 3 }, 150);
    expect(kept.slice(1)).toEqual(messages.slice(2));
    expect(textOf(kept[0])).toBe("[Context compacted: 2 messages removed]");
    expect(level3DropMiddle(messages, { keep_first: 9, keep_recent: 9 }, 10_000)).toBe(messages);
  });

  it("The marker counts all removed messages if the recent messages alone exceed the budget", () => {
    const kept = level3DropMiddle(users(20), { keep_first: 2, keep_recent: 3 }, 150);
    expect(texts(kept)[0]).toBe("[Context compacted: 18 messages removed]");
    expect(kept).toHaveLength(3);
  });
});

describe("keepWithinBudget", () => {
  it("The list is unchanged at exactly its tokens, and loses its oldest message at one token less", () => {
    const messages = users(4);
    expect(keepWithinBudget(messages, 216)).toBe(messages);
    const kept = keepWithinBudget(messages, 215);
    expect(textOf(kept[0])).toBe("[Context compacted: 1 messages removed]");
    expect(kept.slice(1)).toEqual(messages.slice(1));
  });

  it("The marker counts in the budget", () => {
    // The marker has 14 tokens, and each message 54.
    expect(keepWithinBudget(users(4), 14 + 54)).toHaveLength(2);
    expect(totalTokens(keepWithinBudget(users(4), 14 + 54))).toBe(14 + 54);
  });

  it("A call without place is removed together with its result", () => {
    const messages = [user("ask"), ...called("a", "x".repeat(400)), user("more")];
    expect(texts(keepWithinBudget(messages, 60))).toEqual(["[Context compacted: 3 messages removed]", "more"]);
  });

  it("The text of the newest message is cut if the message alone is too large", () => {
    const kept = keepWithinBudget([user("old"), user(`begin ${"🧵".repeat(5000)} end`)], 100);
    expect(kept).toHaveLength(2);
    expect(textOf(kept[1])).toMatch(/^begin 🧵+\n\[\.\.\. 20010 bytes, cut to fit the context \.\.\.\]\n🧵+ end$/u);
    expect(totalTokens(kept)).toBeLessThanOrEqual(100);
    expect(totalTokens(kept)).toBeGreaterThan(80);
  });

  it("The texts of the newest call and its results are cut together", () => {
    const given = { path: "p".repeat(9000), list: ["q".repeat(9000)] };
    const messages = [user("ask"), assistant([call("c", "look", given)]), result("c", "r".repeat(9000))];
    const kept = keepWithinBudget(messages, 400);
    expect(kept.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult"]);
    expect(totalTokens(kept)).toBeLessThanOrEqual(400);
    expect(JSON.stringify(kept[1])).toContain("bytes, cut to fit the context");
  });

  it("Thinking and images of the newest message are removed if they do not fit, because no part of them is valid", () => {
    const thinking = { type: "thinking", thinking: "t".repeat(9000), signature: "s" } as const;
    const image = { type: "image", data: "A".repeat(900_000), mime_type: "image/png" } as const;
    const messages = [assistant([thinking, text("see"), call("c")]), result("c", [image, text("seen")])];
    expect(texts(keepWithinBudget(messages, 200))).toEqual([
      "see<toolCall>",
      "[An image was removed to fit the context.]seen",
    ]);
  });

  it("A message of the application that does not fit is removed, and does not displace the messages that a model reads", () => {
    const note = extensionMessage("note", "x".repeat(9000));
    expect(keepWithinBudget([user("old"), note, user("ask"), note], 40)).toEqual([user("old"), user("ask")]);
    expect(keepWithinBudget([user("old"), note, user("ask"), note], 22)).toEqual([
      user("[Context compacted: 3 messages removed]"),
      user("ask"),
    ]);
  });

  it("A message of the application gives its tokens to messages that a model reads", () => {
    const note = extensionMessage("note", "x".repeat(200));
    const messages = [...called("a", "x".repeat(300)), note];
    expect(keepWithinBudget(messages, totalTokens(messages) - 10)).toEqual(messages.slice(0, 2));
  });

  it("The result is empty if the budget has no place for any message", () => {
    expect(keepWithinBudget([user("x".repeat(900))], 5)).toEqual([]);
    expect(keepWithinBudget([], 5)).toEqual([]);
  });
});

describe("compactMessages", () => {
  const messages = [user("ask"), ...called("a", lines(400)), ...users(3)];

  it("A list of exactly the budget is returned unchanged, and one of a token more is compacted", () => {
    const tokens = totalTokens(messages);
    expect(compactMessages(messages, budgetOf(tokens))).toBe(messages);
    expect(compactMessages(messages, { max_context_tokens: tokens + 10, system_prompt_tokens: 10 })).toBe(messages);
    const compacted = compactMessages(messages, budgetOf(tokens - 1));
    expect(textOf(compacted[2])).toContain("[... 351 lines truncated ...]");
    expect([compacted.length, compacted[1] === messages[1]]).toEqual([6, true]);
  });

  it("The levels are applied in order until the list fits", () => {
    const config = { keep_first: 1, keep_recent: 1, tool_output_max_lines: 10 };
    const compacted = (tokens: number) => texts(compactMessages(messages, { ...config, ...budgetOf(tokens) }));
    expect(compacted(250)).toEqual(["ask", "say a<toolCall>", expect.stringContaining("line 1\n"), ...texts(users(3))]);
    expect(compacted(200)).toEqual(["ask", "[Summary] say a; called look", ...texts(users(3))]);
    expect(compacted(100)).toEqual([
      "ask",
      "[Context compacted: 3 messages removed to fit context window]",
      texts(users(3))[2],
    ]);
    expect(compacted(70)).toEqual(["[Context compacted: 4 messages removed]", texts(users(3))[2]]);
  });

  it("The defaults of the document apply", () => {
    const long = users(2000);
    const compacted = compactMessages(long);
    expect([compacted.length, compacted[0], compacted.at(-1)]).toEqual([13, long[0], long[1999]]);
  });

  it("A value that is no list of messages is refused by the place of the first wrong element", () => {
    for (const [value, named] of [
      ["text", "it is a value of the type string"],
      [[user("a"), { role: "user", content: "text" }], "the element 1 is no message"],
      [[{ role: "toolResult", content: [] }], "the element 0 is no message"],
      [[{ role: "user", content: [{ type: "text" }] }], "the element 0 is no message"],
      [[null], "the element 0 is no message"],
    ] as const) {
      const wrong = () => compactMessages(value as unknown as AgentMessage[]);
      expect(wrong).toThrow(LoopError);
      expect(wrong).toThrow(named);
    }
  });
});
