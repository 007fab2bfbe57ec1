// Compacts the messages of a loop to its budget by the levels of phi-core's document (REQ-056 to REQ-059). Every function is pure: no
// message is changed, and the same list gives the same result.

import {
  compactByLevels,
  dropMiddle,
  keepWithinBudget as keepNewestWithin,
  shortenResults,
  summarizeOldTurns,
} from "#core/context/levels.ts";
import type { LevelMessages } from "#core/context/levels.ts";
import { cutMiddle, cutStrings, essenceLine, shortenLines } from "#core/context/projection.ts";

import { LoopError } from "../loop-error.ts";
import type { AgentMessage, Content } from "../loop-messages.ts";
import { isLlmMessage, textOfContent, userMessage } from "../loop-messages.ts";
import { problemOfMessages } from "./compaction-strategy.ts";
import { completeContextConfig, messageBudget } from "./context-config.ts";
import type { CompleteContextConfig, ContextConfig } from "./context-config.ts";
import { HeuristicTokenCounter, blockTokens, countedOnce, estimateTokens } from "./token-counter.ts";
import type { TokenCounter } from "./token-counter.ts";

const heuristic = new HeuristicTokenCounter();

/**
 * The messages within the budget of a configuration (REQ-056). A list within it is returned unchanged. Else the levels are applied in
 * order: long tool results are shortened, old turns become one line, the middle is dropped. The result is empty if the budget has no place
 * for the newest message, even with its texts cut.
 */
export function compactMessages(messages: AgentMessage[], config: ContextConfig = {}): AgentMessage[] {
  const problem = problemOfMessages(messages);
  if (problem !== null) throw new LoopError(`compactMessages takes a list of messages: ${problem}`);
  const complete = completeContextConfig(config);
  const budget = messageBudget(complete);
  return compactTo(messages, complete, { budget, target: budget });
}

/** Where a compaction ends. */
export interface CompactionGoal {
  /** The maximum number of tokens afterwards. */
  budget: number;
  /** The number of tokens at which no further level is applied. */
  target: number;
  /** Counts the tokens of a message. Default: by the counter of the configuration. */
  tokensOf?: (message: AgentMessage) => number;
}

/** The messages compacted to a budget. */
export function compactTo(
  messages: AgentMessage[],
  { keep_first, keep_recent, tool_output_max_lines, token_counter }: CompleteContextConfig,
  { budget, target, tokensOf }: CompactionGoal,
): AgentMessage[] {
  const options = { budget, target, keepFirst: keep_first, keepRecent: keep_recent, maxLines: tool_output_max_lines };
  return listOf(compactByLevels(messages, options, agentMessages(token_counter, tokensOf)), messages);
}

/** Level 1 (REQ-057): the messages with at most `maxLines` lines in each text of a tool result, a marker included. */
export function level1TruncateToolOutputs(messages: AgentMessage[], maxLines: number): AgentMessage[] {
  return listOf(shortenResults(messages, maxLines, agentMessages(heuristic)), messages);
}

/** Level 2 (REQ-058): each answer before the last `keepRecent` messages, with its results, becomes a user message of one line. */
export function level2SummarizeOldTurns(messages: AgentMessage[], keepRecent: number): AgentMessage[] {
  return listOf(summarizeOldTurns(messages, keepRecent, agentMessages(heuristic)), messages);
}

/** Level 3 (REQ-059): a marker in place of the messages between the first and the recent ones. If that exceeds the budget, the newest. */
export function level3DropMiddle(messages: AgentMessage[], config: ContextConfig, budget: number): AgentMessage[] {
  const { keep_first: keepFirst, keep_recent: keepRecent, token_counter } = completeContextConfig(config);
  return listOf(dropMiddle(messages, { budget, keepFirst, keepRecent }, agentMessages(token_counter)), messages);
}

/** The newest messages that fit a budget, after a marker with the number of the removed ones (REQ-059). */
export function keepWithinBudget(
  messages: AgentMessage[],
  budget: number,
  counter: TokenCounter = heuristic,
): AgentMessage[] {
  return listOf(keepNewestWithin(messages, budget, agentMessages(counter)), messages);
}

/** The list itself if it is unchanged, so that a caller can compare references. */
function listOf(compacted: readonly AgentMessage[], messages: AgentMessage[]): AgentMessage[] {
  return compacted === messages ? messages : [...compacted];
}

/** How the levels read messages of a loop. */
function agentMessages(counter: TokenCounter, tokens = countedOnce(counter)): LevelMessages<AgentMessage> {
  return {
    tokens,
    role: ({ role }) => (role === "toolResult" ? "tool" : role === "extension" ? "other" : role),
    calls: (message) =>
      message.role === "assistant"
        ? message.content.flatMap((block) => (block.type === "toolCall" ? block.id : []))
        : [],
    resultOf: (message) => (message.role === "toolResult" ? message.tool_call_id : null),
    shorten: (message, maxLines) =>
      withBlocks(message, (block) =>
        block.type === "text" ? withText(block, shortenLines(block.text, maxLines)) : block,
      ),
    essence(answer) {
      if (answer.role !== "assistant") return answer;
      const { content, timestamp } = answer;
      // An answer that failed before its first block is never sent.
      if (content.length === 0) return null;
      const called = content.flatMap((block) => (block.type === "toolCall" ? block.name : []));
      return userMessage(essenceLine(textOfContent(content), called), timestamp);
    },
    cut: (message, tokens) => withBlocks(message, (block) => cutBlock(block, tokens, counter)),
    marker: (text, removed) => userMessage(text, isLlmMessage(removed) ? removed.timestamp : 0),
  };
}

/** The block cut to about a number of tokens; null if it is removed. */
function cutBlock(block: Content, tokens: number, counter: TokenCounter): Content | null {
  switch (block.type) {
    case "text":
      return withText(block, shorter(cutMiddle(block.text, tokens), block.text));
    // A part of it would not match its signature.
    case "thinking":
      return estimateTokens(block.thinking, counter) <= tokens ? block : null;
    case "image":
      if (blockTokens(block, counter) <= tokens) return block;
      return { type: "text", text: "[An image was removed to fit the context.]" };
    case "toolCall": {
      const given = cutStrings(block.arguments, tokens);
      return given === block.arguments ? block : { ...block, arguments: given };
    }
  }
}

function shorter(cut: string, text: string): string {
  return cut.length < text.length ? cut : text;
}

function withText(block: Content & { type: "text" }, text: string): Content {
  return text === block.text ? block : { type: "text", text };
}

/** The message with its blocks replaced. Returns the same message if none is. */
function withBlocks(message: AgentMessage, replace: (block: Content) => Content | null): AgentMessage {
  if (!isLlmMessage(message)) return message;
  const content = message.content.map(replace);
  if (content.every((block, at) => block === message.content[at])) return message;
  return { ...message, content: content.filter((block) => block !== null) };
}
