// The levels of compaction over messages of any type: each level is applied only if the one before is not enough. Their edges and any
// conversation are tested with the messages of the entry for loops, in test/loop.

import { expect, it } from "vitest";

import { compactByLevels } from "#core/context/levels.ts";
import type { LevelMessages } from "#core/context/levels.ts";

/** A message of a test: its role, its tokens, and the call that it makes or answers. */
interface Line {
  role: "user" | "assistant" | "tool" | "other";
  tokens: number;
  call?: string;
  text?: string;
}

const lineMessages: LevelMessages<Line> = {
  role: ({ role }) => role,
  calls: ({ role, call }) => (role === "assistant" && call !== undefined ? [call] : []),
  resultOf: ({ role, call }) => (role === "tool" ? (call ?? null) : null),
  tokens: ({ tokens }) => tokens,
  shorten: (line, maxLines) => ({ ...line, tokens: Math.min(line.tokens, maxLines) }),
  essence: () => ({ role: "user", tokens: 2, text: "essence" }),
  cut: (line, tokens) => ({ ...line, tokens: Math.min(line.tokens, Math.max(1, tokens)) }),
  marker: (text) => ({ role: "user", tokens: 3, text }),
};

const conversation: Line[] = [
  { role: "user", tokens: 5 },
  { role: "assistant", tokens: 10, call: "a" },
  { role: "tool", tokens: 100, call: "a" },
  { role: "user", tokens: 20 },
  { role: "assistant", tokens: 10, call: "b" },
  { role: "tool", tokens: 30, call: "b" },
];

function tokensOf(budget: number, target = budget): number[] {
  const options = { budget, target, keepFirst: 1, keepRecent: 1, maxLines: 25 };
  return compactByLevels(conversation, options, lineMessages).map(({ tokens }) => tokens);
}

it("The levels are applied in order until the list fits, and a call stays with its result", () => {
  expect(tokensOf(175)).toEqual([5, 10, 100, 20, 10, 30]);
  expect(tokensOf(174)).toEqual([5, 10, 25, 20, 10, 25]);
  expect(tokensOf(94)).toEqual([5, 2, 20, 10, 25]);
  expect(tokensOf(61)).toEqual([5, 3, 10, 25]);
  expect(tokensOf(42)).toEqual([3, 10, 25]);
  expect(tokensOf(37)).toEqual([3, 10, 24]);
  // The newest call has no place even when it is cut, so an older message is cut.
  expect(tokensOf(1)).toEqual([1]);
  expect(tokensOf(0)).toEqual([]);
});

it("A level that fits the budget alone is used only if no later level reaches the target", () => {
  expect(tokensOf(174, 70)).toEqual([5, 2, 20, 10, 25]);
  expect(tokensOf(174, 50)).toEqual([5, 3, 10, 25]);
  expect(tokensOf(174, 20)).toEqual([5, 3, 10, 25]);
  expect(tokensOf(42, 20)).toEqual([3, 8, 8]);
});
