// What a request asks of thinking, before a provider translates it: an effort, and possibly a number of tokens. Invariant: a
// budget is at least the provider's floor and less than the limit of the answer, or there is no budget (decision 39: thinking).

import type { ModelRequest } from "#core/ports/model-port.ts";

/** The depth of thinking. `none` turns thinking off; models that think by default need it in the request. */
export type Effort = "none" | "minimal" | "low" | "medium" | "high";

// figures: tokens of each effort.
const budgets: Record<Effort, number> = { none: 0, minimal: 128, low: 512, medium: 2048, high: 8192 };

/** Tokens of an answer in addition to its thinking, if the limit has that many. */
const answerTokens = 1024;

/** The depth of thinking that a request asks for. */
export interface ThinkingRequest {
  effort: Effort;
  /** Tokens to think with: the requested number, otherwise the budget of the effort. */
  tokens: number;
  /** The request named tokens; `effort` is the nearest one. */
  byTokens: boolean;
}

function effortOf(tokens: number): Effort {
  if (tokens <= budgets.none) return "none";
  if (tokens <= budgets.minimal) return "minimal";
  if (tokens <= budgets.low) return "low";
  return tokens <= budgets.medium ? "medium" : "high";
}

/** Reads what a request asks of thinking; null if it asks for nothing. */
export function readThinkingRequest({ reasoning, model }: ModelRequest): ThinkingRequest | null {
  // Decision 39: tokens take precedence over effort, the prompt's options over the model's level.
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

/** A budget within its bounds; null if the limit is too small for the floor. */
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
