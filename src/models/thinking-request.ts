// Reads which thinking a request asks for, before a provider's options are built from it: an effort, and possibly a number of tokens.
// Invariant: a budget is at least the provider's minimum and less than the limit of the answer, or there is no budget (decision 39:
// thinking).

import type { ModelRequest } from "#core/ports/model-port.ts";

/** The depth of thinking. `none` turns thinking off: models that think by default think unless a request contains it. */
export type Effort = "none" | "minimal" | "low" | "medium" | "high";

/** Tokens of thinking for each effort (figures.md, "Thinking"). */
const budgets: Record<Effort, number> = { none: 0, minimal: 128, low: 512, medium: 2048, high: 8192 };

/** Tokens of the answer that a thinking budget leaves free for text and tool calls, if the limit of the answer allows it. */
const answerTokens = 1024;

/** The depth of thinking that a request asks for. */
export interface ThinkingRequest {
  effort: Effort;
  /** Tokens to think with: the requested number, otherwise the budget of the effort. */
  tokens: number;
  /** The request gave a number of tokens. `effort` is the lowest effort with a budget of at least that number, or `high`. */
  byTokens: boolean;
}

function effortOf(tokens: number): Effort {
  if (tokens <= budgets.none) return "none";
  if (tokens <= budgets.minimal) return "minimal";
  if (tokens <= budgets.low) return "low";
  return tokens <= budgets.medium ? "medium" : "high";
}

/** Reads the thinking that a request asks for; null if the request states nothing about thinking. */
export function readThinkingRequest({ reasoning, model }: ModelRequest): ThinkingRequest | null {
  // Decision 39 (thinking): a number of tokens takes precedence over an effort, and the prompt's options over the model's level.
  if (reasoning?.maxTokens !== undefined) {
    const tokens = Math.trunc(reasoning.maxTokens);
    return { effort: effortOf(tokens), tokens: Math.max(tokens, 0), byTokens: tokens > 0 };
  }
  const level = reasoning?.effort ?? model.thinkingLevel;
  if (level === undefined) return null;
  const effort = level === "off" ? "none" : level;
  return { effort, tokens: budgets[effort], byTokens: false };
}

/** Bounds of a budget, in tokens. */
export interface BudgetBounds {
  /** The provider's name, for the warning. */
  who: string;
  floor: number;
  ceiling: number;
  /** The limit of the answer, thinking included; null without a limit. */
  limit: number | null;
}

/** Fits a budget into its bounds; null if the limit of the answer is too small for the minimum budget. */
export function fitBudget(
  { tokens }: ThinkingRequest,
  { who, floor, ceiling, limit }: BudgetBounds,
): { budget: number | null; warnings: string[] } {
  if (limit !== null && limit <= floor) {
    return { budget: null, warnings: [`A limit of ${limit} tokens leaves no room to think; ${who} was not asked to.`] };
  }
  const warnings =
    tokens < floor ? [`A thinking budget of ${tokens} was raised to the floor of ${floor} tokens at ${who}.`] : [];
  const most = limit === null ? ceiling : Math.min(Math.max(floor, limit - answerTokens), limit - 1);
  return { budget: Math.min(Math.max(tokens, floor), most, ceiling), warnings };
}
