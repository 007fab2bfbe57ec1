// Thinking at Anthropic. Models up to 4.6 are given a budget of tokens; later ones refuse it, decide themselves how long
// they think and take an effort. Those also keep their thinking to themselves unless they are asked to show it.

import type { ModelRequest } from "#core/ports/model-port.ts";

import type { ReasoningOptions } from "./reasoning-options.ts";
import { fitBudget, type Wish } from "./reasoning-wish.ts";

/** What Anthropic refuses to go below. */
const floor = 1024;

// `claude-opus-4-7`, `claude-sonnet-5`, `claude-haiku-5-5` and later; dates such as `claude-sonnet-4-20250514` are no versions.
const byEffort = /claude-[a-z]+-(?:4-[7-9]|[5-9]|[1-9]\d)(?!\d)/;

/** Whether Anthropic would refuse to think now: a forced call, or a tool loop whose calls carry no thinking of its own. */
function cannotThink(request: ModelRequest): boolean {
  if (request.toolChoice === "required" && request.tools.length > 0) return true;
  const lastUser = request.messages.findLastIndex((message) => message.role === "user");
  return request.messages.slice(lastUser + 1).some((message) => {
    if (message.role !== "assistant" || !message.parts.some((part) => part.type === "tool_call")) return false;
    return !message.parts.some((part) => part.type === "thinking" && part.provider_data?.provider === "anthropic");
  });
}

/** The options of a wish. `maxTokens` is the answer's limit, thinking included. */
export function anthropicThinking(request: ModelRequest, wish: Wish, maxTokens: number): ReasoningOptions {
  // Anthropic's models do not think unless a request asks for it.
  if (wish.effort === "none") return { options: {}, budget: 0, warnings: [] };
  if (cannotThink(request)) {
    return { options: {}, budget: 0, warnings: ["Anthropic was not asked to think: it refuses in this place."] };
  }
  const { model } = request.model;
  if (byEffort.test(model)) {
    const display = request.reasoning?.exclude === true ? "omitted" : "summarized";
    const effort = wish.effort === "minimal" ? "low" : wish.effort;
    const warnings = wish.byTokens
      ? [`"${model}" takes no thinking budget; ${wish.tokens} tokens were asked for as effort "${effort}".`]
      : [];
    return { options: { thinking: { type: "adaptive", display }, effort }, budget: 0, warnings };
  }
  const { budget, warnings } = fitBudget(wish, { who: "Anthropic", floor, ceiling: Infinity, limit: maxTokens });
  if (budget === null) return { options: {}, budget: 0, warnings };
  return { options: { thinking: { type: "enabled", budgetTokens: budget } }, budget, warnings };
}
