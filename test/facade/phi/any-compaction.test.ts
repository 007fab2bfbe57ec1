// The compaction of any conversation to any budget (REQ-165): what is sent fits, keeps calls with their results, and keeps the order.

import fc from "fast-check";
import { expect, it } from "vitest";

import { compactMessages } from "#facade/phi/context/compact-messages.ts";
import { HeuristicTokenCounter, totalTokens } from "#facade/phi/context/token-counter.ts";
import type { AgentMessage } from "#facade/phi/loop-messages.ts";

import { conversation, indexOf, textOf } from "./support/conversation-messages.ts";

const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);

const counters = [
  new HeuristicTokenCounter(),
  { count: (value: string) => value.length },
  { count: (value: string) => value.length / 3.7 },
];

const config = fc.record({
  // Budgets of a few tokens are as frequent as budgets of hundreds and of thousands.
  max_context_tokens: fc.double({ min: 0.5, max: 9, noNaN: true }).map((power) => Math.ceil(Math.exp(power))),
  system_prompt_tokens: fc.constant(0),
  keep_first: fc.nat(4),
  keep_recent: fc.nat(12),
  tool_output_max_lines: fc.integer({ min: 1, max: 60 }),
  token_counter: fc.constantFrom(...counters),
});

/** For each result of a conversation, the index of its call's message: the nearest one before it that has the call. */
function callers(messages: readonly AgentMessage[]): [number, number][] {
  const pairs: [number, number][] = [];
  for (const [at, message] of messages.entries()) {
    if (message.role !== "toolResult") continue;
    const caller = messages.findLastIndex(
      (each, index) =>
        index < at &&
        each.role === "assistant" &&
        each.content.some((block) => block.type === "toolCall" && block.id === message.tool_call_id),
    );
    if (caller !== -1) pairs.push([caller, at]);
  }
  return pairs;
}

const isMarker = (message: AgentMessage) => textOf(message).startsWith("[Context compacted: ");

/** The indexes of the messages that were kept, whole or cut, by role; those of summaries and markers are left out. */
function keptIndexes(messages: readonly AgentMessage[], compacted: readonly AgentMessage[]): number[] {
  return compacted
    .filter((message) => !isMarker(message) && message.role === messages[indexOf(message)]?.role)
    .map(indexOf);
}

it("Any compaction fits the budget, keeps calls with their results, keeps the order, and cuts no character", () => {
  const found = { unchanged: 0, summarized: 0, dropped: 0, newest: 0, empty: 0 };
  fc.assert(
    fc.property(conversation(10), config, (messages, options) => {
      const budget = options.max_context_tokens;
      const compacted = compactMessages(messages, options);
      const count = (list: readonly AgentMessage[]) => totalTokens(list, options.token_counter);
      expect(count(compacted)).toBeLessThanOrEqual(budget);
      // A list within the budget is unchanged, also the result of a compaction.
      if (count(messages) <= budget) expect(compacted).toBe(messages);
      expect(compactMessages(compacted, options)).toBe(compacted);
      const kept = new Set(keptIndexes(messages, compacted));
      for (const [caller, result] of callers(messages)) expect(kept.has(caller)).toBe(kept.has(result));
      const order = compacted.filter((message) => !isMarker(message)).map(indexOf);
      expect(order).toEqual([...new Set(order)].toSorted((a, b) => a - b));
      expect(JSON.stringify(compacted)).not.toMatch(/\\ud[89a-f]/);
      if (compacted.length > 0) expect(compacted.some((message) => !isMarker(message))).toBe(true);
      // With some place, the newest message that a model reads is sent.
      const newest = messages.findLastIndex(({ role }) => role !== "extension");
      if (budget > 4000 && newest !== -1) expect(kept.has(newest)).toBe(true);
      const all = compacted.map(textOf).join("\n");
      found.unchanged += compacted === messages ? 1 : 0;
      found.summarized += all.includes("[Summary] ") ? 1 : 0;
      found.dropped += all.includes("removed to fit context window]") ? 1 : 0;
      found.newest += all.includes("messages removed]") ? 1 : 0;
      found.empty += compacted.length === 0 ? 1 : 0;
    }),
    { seed, numRuns: 10_000 },
  );
  // Every way to compact has been taken.
  for (const each of Object.values(found)) expect(each).toBeGreaterThan(100);
});
