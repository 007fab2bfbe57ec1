// What a request wishes of thinking, before any provider's words: an effort, perhaps a number of tokens. Invariant: a
// budget is at least the provider's floor and below the answer's limit, or there is none (decision 39, figures: thinking).

import type { ModelRequest } from "#core/ports/model-port.ts";

/** The depth of thinking. `none` turns thinking off; models that think by default need it in the request. */
export type Effort = "none" | "minimal" | "low" | "medium" | "high";

const budgets: Record<Effort, number> = { none: 0, minimal: 128, low: 512, medium: 2048, high: 8192 };

/** Tokens an answer has beside its thinking, where the limit leaves that much. */
const answerRoom = 1024;

/** A wish to think. */
export interface Wish {
  effort: Effort;
  /** Tokens to think with: those that were named, else what the effort stands for. */
  tokens: number;
  /** Tokens were named, so the effort is only what comes nearest. */
  byTokens: boolean;
}

function effortOf(tokens: number): Effort {
  if (tokens <= budgets.none) return "none";
  if (tokens <= budgets.minimal) return "minimal";
  if (tokens <= budgets.low) return "low";
  return tokens <= budgets.medium ? "medium" : "high";
}

/** The wish of a request; null where nobody wishes anything. */
export function readWish({ reasoning, model }: ModelRequest): Wish | null {
  // Decision 39: tokens win over effort, a prompt's wish over the model's own level.
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
  /** Whose floor it is, for the warning. */
  who: string;
  floor: number;
  ceiling: number;
  /** The answer's limit, which holds the thinking too; null where there is none. */
  limit: number | null;
}

/** A budget within its bounds; null where the limit leaves no room for the floor. */
export function fitBudget(
  { tokens }: Wish,
  { who, floor, ceiling, limit }: BudgetBounds,
): { budget: number | null; warnings: string[] } {
  if (limit !== null && limit <= floor) {
    return { budget: null, warnings: [`A limit of ${limit} tokens leaves no room to think; ${who} was not asked to.`] };
  }
  const warnings =
    tokens < floor ? [`A thinking budget of ${tokens} was raised to the floor of ${floor} tokens at ${who}.`] : [];
  const room = limit === null ? ceiling : Math.min(Math.max(floor, limit - answerRoom), limit - 1);
  return { budget: Math.min(Math.max(tokens, floor), room, ceiling), warnings };
}
