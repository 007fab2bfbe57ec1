// Counts the tokens of texts, blocks and messages (REQ-054, REQ-055, REQ-162). A program may count texts by itself; images and the tokens
// that each message adds have fixed formulas.

import { textTokens } from "#core/model/estimate-tokens.ts";

import { LoopError } from "../loop-error.ts";
import type { AgentMessage, Content } from "../loop-messages.ts";
import { isWronglyAsync } from "../program-functions.ts";

/** Counts the tokens of a text. */
export interface TokenCounter {
  /** The number of tokens, at least 0; a fraction is rounded up. Called often, so a slow counter should remember its counts. */
  count(text: string): number;
}

/** The default counter: a quarter of the UTF-8 bytes, rounded up. */
export class HeuristicTokenCounter implements TokenCounter {
  count(text: string): number {
    return textTokens(text);
  }
}

const heuristic = new HeuristicTokenCounter();

/** The least and the most tokens of an image, and the bytes of one token. */
const image = { least: 85, most: 16_000, bytesPerToken: 750 };

/** Estimated tokens of a text: a quarter of its UTF-8 bytes, rounded up, unless a counter is given. */
export function estimateTokens(text: string, counter: TokenCounter = heuristic): number {
  const tokens: unknown = counter.count(text);
  if (typeof tokens === "number" && tokens >= 0 && tokens < Infinity) return Math.ceil(tokens);
  isWronglyAsync(tokens);
  const returned = typeof tokens === "number" ? String(tokens) : `a value of the type ${typeof tokens}`;
  throw new LoopError(
    `The token counter returned ${returned} from count(text). It has to return a number of at least 0.`,
  );
}

/** Estimated tokens of blocks. */
export function contentTokens(content: readonly Content[], counter: TokenCounter = heuristic): number {
  return content.reduce((sum, block) => sum + blockTokens(block, counter), 0);
}

/** Estimated tokens of a message. */
export function messageTokens(message: AgentMessage, counter: TokenCounter = heuristic): number {
  switch (message.role) {
    case "user":
    case "assistant":
      return contentTokens(message.content, counter) + 4;
    case "toolResult":
      return contentTokens(message.content, counter) + estimateTokens(message.tool_name, counter) + 8;
    case "extension":
      return estimateTokens(jsonOf(message.data), counter) + 4;
  }
}

/** A function that counts the tokens of messages, and counts each message once. Messages are data that no one changes in place. */
export function countedOnce(counter: TokenCounter): (message: AgentMessage) => number {
  const counts = new WeakMap<AgentMessage, number>();
  return (message) => {
    const tokens = counts.get(message) ?? messageTokens(message, counter);
    counts.set(message, tokens);
    return tokens;
  };
}

/** Estimated tokens of a list of messages. */
export function totalTokens(messages: readonly AgentMessage[], counter: TokenCounter = heuristic): number {
  return messages.reduce((sum, message) => sum + messageTokens(message, counter), 0);
}

/** Estimated tokens of one block. */
export function blockTokens(block: Content, counter: TokenCounter): number {
  switch (block.type) {
    case "text":
      return estimateTokens(block.text, counter);
    case "thinking":
      return estimateTokens(block.thinking, counter);
    case "toolCall":
      return estimateTokens(block.name, counter) + estimateTokens(jsonOf(block.arguments), counter) + 8;
    case "image":
      return Math.min(Math.max(Math.floor(base64Bytes(block.data) / image.bytesPerToken), image.least), image.most);
  }
}

/** The number of bytes that a base64 text encodes. */
function base64Bytes(data: string): number {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((data.length * 3) / 4) - padding);
}

/** The JSON of a value; an empty text for undefined, which JSON does not have. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value) ?? "";
}
