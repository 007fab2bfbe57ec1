// How deep a model may think and whether it shows it, in each provider's own words (Standard Agents, reasoning; decision
// 39). What was bent or left out to make them is said in a warning, for the log.

import type { JSONObject } from "@ai-sdk/provider";

import type { ModelRequest } from "#core/ports/model-port.ts";

import { anthropicThinking } from "./anthropic-thinking.ts";
import { googleThinking } from "./google-thinking.ts";
import { openaiReasoning } from "./openai-reasoning.ts";
import type { ProviderSettings } from "./provider-settings.ts";
import { fitBudget, readWish, type Wish } from "./reasoning-wish.ts";

/** How thinking changes a request. */
export interface ReasoningOptions {
  /** Options under the provider's name. */
  options: JSONObject;
  /** Tokens of the answer's limit that thinking may use up, where the package adds them to the limit itself. */
  budget: number;
  warnings: string[];
}

const nothing: ReasoningOptions = { options: {}, budget: 0, warnings: [] };

function openrouter(request: ModelRequest, wish: Wish | null, maxTokens: number | null): ReasoningOptions {
  const exclude = request.reasoning?.exclude === true ? { exclude: true } : {};
  const { depth, warnings } = openrouterDepth(request.model.model, wish, maxTokens);
  const reasoning = { ...depth, ...exclude };
  return { options: Object.keys(reasoning).length === 0 ? {} : { reasoning }, budget: 0, warnings };
}

function openrouterDepth(
  model: string,
  wish: Wish | null,
  limit: number | null,
): { depth: JSONObject; warnings: string[] } {
  if (wish === null) return { depth: {}, warnings: [] };
  if (!wish.byTokens) return { depth: { effort: wish.effort }, warnings: [] };
  const floor = model.startsWith("anthropic/") ? 1024 : 1;
  const { budget, warnings } = fitBudget(wish, { who: "OpenRouter", floor, ceiling: Infinity, limit });
  return { depth: budget === null ? {} : { max_tokens: budget }, warnings };
}

/** The thinking a request asks for, as options of its provider. `maxTokens` is the answer's limit, null without one. */
export function reasoningOptions(
  request: ModelRequest,
  to: ProviderSettings,
  maxTokens: number | null,
): ReasoningOptions {
  const wish = readWish(request);
  const { provider } = to;
  if (provider === "openrouter") return openrouter(request, wish, maxTokens);
  if (wish === null) return nothing;
  switch (provider) {
    case "anthropic":
      return anthropicThinking(request, wish, maxTokens ?? 8192);
    case "google":
      return googleThinking(request, wish, maxTokens);
    case "openai":
    case "openai-responses":
    case "openai-compatible":
      return openaiReasoning(request, wish, to);
  }
}
