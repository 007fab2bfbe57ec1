// Thinking at Google: a budget of tokens up to Gemini 2.5, a level from Gemini 3 on. Its budgets have floors and ceilings by
// model, and its limit of an answer holds the thinking too.

import type { ModelRequest } from "#core/ports/model-port.ts";

import type { ReasoningOptions } from "./reasoning-options.ts";
import { fitBudget, type BudgetBounds, type Effort, type Wish } from "./reasoning-wish.ts";

const withoutThinking = /gemini-(?:1[.-]|2\.0)(?!.*thinking)|gemma/;
const byLevel = /gemini-(?:[3-9]|[1-9]\d)/;
/** Knows two levels only. */
const twoLevels = /gemini-3-pro/;

function boundsOf(model: string): Pick<BudgetBounds, "floor" | "ceiling"> {
  if (/flash-lite/.test(model)) return { floor: 512, ceiling: 24_576 };
  return /-pro/.test(model) ? { floor: 128, ceiling: 32_768 } : { floor: 1, ceiling: 24_576 };
}

function levelOf(effort: Effort, model: string): string {
  if (effort === "minimal" || effort === "none") return "low";
  return effort === "medium" && twoLevels.test(model) ? "high" : effort;
}

/** Flash models up to Gemini 2.5 can turn thinking off. Other models get their smallest budget or level. */
function thinkingOff(model: string): ReasoningOptions {
  const warnings = [`"${model}" always thinks; it was asked for as little as it takes.`];
  if (byLevel.test(model)) return { options: { thinkingConfig: { thinkingLevel: "low" } }, budget: 0, warnings };
  if (!/-pro/.test(model)) return { options: { thinkingConfig: { thinkingBudget: 0 } }, budget: 0, warnings: [] };
  return { options: { thinkingConfig: { thinkingBudget: boundsOf(model).floor } }, budget: 0, warnings };
}

/** The options of a wish. `maxTokens` is the answer's limit; null where nobody set one. */
export function googleThinking(request: ModelRequest, wish: Wish, maxTokens: number | null): ReasoningOptions {
  const { model } = request.model;
  if (withoutThinking.test(model)) {
    return { options: {}, budget: 0, warnings: [`"${model}" does not think; the wish for it was left out.`] };
  }
  const includeThoughts = request.reasoning?.exclude !== true;
  if (wish.effort === "none") return thinkingOff(model);
  if (byLevel.test(model) && !wish.byTokens) {
    const thinkingLevel = levelOf(wish.effort, model);
    return { options: { thinkingConfig: { thinkingLevel, includeThoughts } }, budget: 0, warnings: [] };
  }
  const { budget, warnings } = fitBudget(wish, { who: "Google", ...boundsOf(model), limit: maxTokens });
  if (budget === null) return { options: {}, budget: 0, warnings };
  return { options: { thinkingConfig: { thinkingBudget: budget, includeThoughts } }, budget: 0, warnings };
}
