// Reasoning options of OpenAI's protocols: an effort, sent as `reasoning_effort` in Chat Completions and as `reasoning`, with a
// request for a summary, in the Responses API. Some other servers of Chat Completions have a switch of their own instead.

import type { ModelRequest } from "#core/ports/model-port.ts";

import { serverTraits } from "./openai-compatible.ts";
import type { ProviderSettings } from "./provider-settings.ts";
import type { ReasoningOptions } from "./reasoning-options.ts";
import type { Effort, Wish } from "./reasoning-wish.ts";

// OpenAI's models that do not reason refuse the field.
const withoutReasoning = /^(gpt-3|gpt-4|chatgpt-4|gpt-5-chat)/;
// Models with the effort `minimal`. The lowest effort of all others is `low`.
const withMinimal = /^gpt-5(-(mini|nano))?(-\d{4}|$)/;
// OpenAI's reasoning models before GPT-5.1, and all `pro` models, always think.
const alwaysThinks = /^(o\d|gpt-5(-|$))|^gpt-5[^a-z]*-pro/;

function effortOf({ compat, model }: ModelRequest["model"], effort: Effort): Effort {
  if (compat?.supportsReasoningEffort === true) return effort;
  if (effort === "none" && alwaysThinks.test(model)) return withMinimal.test(model) ? "minimal" : "low";
  return effort === "minimal" && !withMinimal.test(model) ? "low" : effort;
}

/** The reasoning options of a request to OpenAI or to another server that speaks one of its protocols. */
export function openaiReasoning(
  { model, reasoning }: ModelRequest,
  wish: Wish,
  to: ProviderSettings,
): ReasoningOptions {
  const takes = model.compat?.supportsReasoningEffort ?? !withoutReasoning.test(model.model);
  if (!takes) {
    const warnings =
      wish.effort === "none" ? [] : [`"${model.model}" does not reason; the reasoning options were left out.`];
    return { options: {}, budget: 0, warnings };
  }
  const off =
    to.provider === "openai-compatible" && wish.effort === "none" ? serverTraits(to.baseUrl).thinkingOff : null;
  if (off !== null) return { options: off, budget: 0, warnings: [] };
  const effort = effortOf(model, wish.effort);
  const warnings: string[] = [];
  if (wish.byTokens) {
    warnings.push(`OpenAI takes no thinking budget; ${wish.tokens} tokens were asked for as effort "${effort}".`);
  }
  if (wish.effort === "none" && effort !== "none") {
    warnings.push(`"${model.model}" always thinks; it was asked for effort "${effort}".`);
  }
  if (to.provider !== "openai-responses") return { options: { reasoningEffort: effort }, budget: 0, warnings };
  // Without `forceReasoning` the package sends `reasoning` only for model ids that it knows. A deployment may have any id.
  const options = { reasoningEffort: effort, forceReasoning: true };
  // OpenAI makes summaries for verified organisations only, so a prompt that hides thinking does not ask for one.
  const summary = reasoning?.exclude === true || effort === "none" ? {} : { reasoningSummary: "auto" };
  return { options: { ...options, ...summary }, budget: 0, warnings };
}
