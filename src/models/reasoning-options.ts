// How deep a model may think, in each provider's own words. Invariant: a budget is at least the provider's floor and always
// below the answer's token limit, or thinking is not asked for at all (decision 39, figures: thinking).

import type { JSONObject } from "@ai-sdk/provider";

import type { ModelRequest } from "#core/ports/model-port.ts";

import type { NetworkProvider } from "./provider-settings.ts";

type Effort = "minimal" | "low" | "medium" | "high";

const budgets: Record<Effort, number> = { minimal: 128, low: 512, medium: 2048, high: 8192 };

/** What Anthropic refuses to go below. */
const anthropicFloor = 1024;

// These take an effort instead of a budget; the package turns `enabled` into their adaptive thinking.
const anthropicByEffort = /claude-(?:[a-z]+-5-5|fable-5)/;
// OpenAI's models that do not reason refuse the field.
const openaiWithoutReasoning = /^(gpt-3|gpt-4|chatgpt-4)/;

/** How thinking changes a request. */
export interface ReasoningOptions {
  /** Options under the provider's name. */
  options: JSONObject;
  /** Tokens of the answer's limit that thinking may use up. */
  budget: number;
  warnings: string[];
}

interface Wish {
  effort: Effort;
  /** Set where tokens were named instead of an effort. */
  tokens: number | null;
}

function effortOf(tokens: number): Effort {
  if (tokens <= budgets.minimal) return "minimal";
  if (tokens <= budgets.low) return "low";
  return tokens <= budgets.medium ? "medium" : "high";
}

function readWish({ reasoning, model }: ModelRequest): Wish | null {
  // Decision 39: tokens win over effort, a prompt's wish over the model's own level.
  if (reasoning?.maxTokens !== undefined) {
    return reasoning.maxTokens > 0 ? { effort: effortOf(reasoning.maxTokens), tokens: reasoning.maxTokens } : null;
  }
  const effort = reasoning?.effort ?? model.thinkingLevel ?? "off";
  return effort === "off" ? null : { effort, tokens: null };
}

/** Whether Anthropic would refuse to think now: a forced call, or a tool loop whose calls carry no thinking of its own. */
function anthropicCannotThink(request: ModelRequest): boolean {
  if (request.toolChoice === "required" && request.tools.length > 0) return true;
  const lastUser = request.messages.findLastIndex((message) => message.role === "user");
  return request.messages.slice(lastUser + 1).some((message) => {
    if (message.role !== "assistant" || !message.parts.some((part) => part.type === "tool_call")) return false;
    return !message.parts.some((part) => part.type === "thinking" && part.provider_data?.provider === "anthropic");
  });
}

function anthropic(request: ModelRequest, wish: Wish, maxTokens: number): ReasoningOptions | null {
  if (anthropicCannotThink(request) || maxTokens <= anthropicFloor) return null;
  const wanted = wish.tokens ?? budgets[wish.effort];
  const warnings =
    wanted < anthropicFloor
      ? [`A thinking budget of ${wanted} was raised to Anthropic's floor of ${anthropicFloor}.`]
      : [];
  // An answer needs room of its own beside the thinking.
  const room = Math.max(anthropicFloor, maxTokens - anthropicFloor);
  const budget = Math.min(Math.max(wanted, anthropicFloor), room, maxTokens - 1);
  const effort = wish.effort === "minimal" ? "low" : wish.effort;
  const options = {
    thinking: { type: "enabled", budgetTokens: budget },
    ...(anthropicByEffort.test(request.model.model) ? { effort } : {}),
  };
  return { options, budget, warnings };
}

function google(request: ModelRequest, wish: Wish): JSONObject {
  const includeThoughts = request.reasoning?.exclude !== true;
  if (/gemini-3/.test(request.model.model) && wish.tokens === null) {
    return { thinkingConfig: { thinkingLevel: wish.effort === "minimal" ? "low" : wish.effort, includeThoughts } };
  }
  return { thinkingConfig: { thinkingBudget: wish.tokens ?? budgets[wish.effort], includeThoughts } };
}

function openai({ model }: ModelRequest, wish: Wish): JSONObject | null {
  if (model.compat?.supportsReasoningEffort === false) return null;
  if (model.compat?.supportsReasoningEffort !== true && openaiWithoutReasoning.test(model.model)) return null;
  return { reasoningEffort: wish.effort };
}

function openrouter(request: ModelRequest, wish: Wish): JSONObject {
  const depth = wish.tokens === null ? { effort: wish.effort } : { max_tokens: wish.tokens };
  return { reasoning: { ...depth, ...(request.reasoning?.exclude === true ? { exclude: true } : {}) } };
}

/** The thinking a request asks for, as options of its provider; null when none is asked for or none is possible. */
export function reasoningOptions(
  request: ModelRequest,
  provider: NetworkProvider,
  maxTokens: number | null,
): ReasoningOptions | null {
  const wish = readWish(request);
  if (wish === null) return null;
  switch (provider) {
    case "anthropic":
      return anthropic(request, wish, maxTokens ?? 8192);
    case "google":
      return { options: google(request, wish), budget: 0, warnings: [] };
    case "openai": {
      const options = openai(request, wish);
      return options === null ? null : { options, budget: 0, warnings: [] };
    }
    case "openrouter":
      return { options: openrouter(request, wish), budget: 0, warnings: [] };
  }
}
