// Facts that hold for OpenAI's models in each of its protocols, at OpenAI's address and at other servers: ids of calls, the
// owner of reasoning, and the effort of reasoning by model.

import type { ModelRequest } from "#core/ports/model-port.ts";

import { acceptedCallId } from "../call-ids.ts";
import type { Effort, ThinkingRequest } from "../thinking-request.ts";
import { noReasoning, type ProviderProfile, type ReasoningOptions } from "./provider-profile.ts";

// `eu.api.openai.com` and the like are OpenAI's regional addresses.
const openaiHost = /^([a-z0-9-]+\.)?api\.openai\.com$/;

/** Whether a host is OpenAI's; null is the default address. */
export function isOpenaiHost(host: string | null): boolean {
  return host === null || openaiHost.test(host);
}

/** The owner of opaque data. It includes the host, because a server can read only the reasoning that it made itself. */
export function ownerAtHost(protocol: string): (host: string | null) => string {
  return (host) => (isOpenaiHost(host) ? protocol : `${protocol} ${host}`);
}

/** OpenAI accepts ids of any printable ASCII characters, at most 40 of them. */
export function openaiCallId(id: string): string {
  return acceptedCallId(id, { refused: /[^\x21-\x7e]/g, length: 40 });
}

/** The members of a profile that hold for all three protocols. */
export const openaiFamily = {
  variables: { keys: ["OPENAI_API_KEY"], baseUrls: ["OPENAI_BASE_URL"], defaultPath: "/v1" },
  callId: openaiCallId,
} satisfies Partial<ProviderProfile>;

// OpenAI's first reasoning models, o1 to o4-mini, refuse the field for parallel calls whatever its value.
const withoutParallelCalls = /^(openai\/)?o\d/;

/** Whether a request asks for one call at a time. The field is refused without tools. */
export function asksForOneCall({ model, parallelToolCalls }: ModelRequest, hasTools: boolean): boolean {
  return hasTools && !parallelToolCalls && !withoutParallelCalls.test(model.model);
}

/** The role of system messages, if the definition states it. */
export function systemRole({ model: { compat } }: ModelRequest): { systemMessageMode?: "developer" | "system" } {
  if (compat?.supportsDeveloperRole === undefined) return {};
  return { systemMessageMode: compat.supportsDeveloperRole ? "developer" : "system" };
}

// OpenAI's models that do not reason refuse the field.
const withoutReasoning = /^(gpt-3|gpt-4|chatgpt-4|gpt-5-chat)/;
// Models with the effort `minimal`. The lowest effort of all others is `low`.
const withMinimal = /^gpt-5(-(mini|nano))?(-\d{4}|$)/;
// OpenAI's reasoning models before GPT-5.1, and all `pro` models, always think.
const alwaysThinks = /^(o\d|gpt-5(-|$))|^gpt-5[^a-z]*-pro/;

/** Whether a model accepts an effort of reasoning. */
export function takesEffort({ compat, model }: ModelRequest["model"]): boolean {
  return compat?.supportsReasoningEffort ?? !withoutReasoning.test(model);
}

function effortOf({ compat, model }: ModelRequest["model"], effort: Effort): Effort {
  if (compat?.supportsReasoningEffort === true) return effort;
  if (effort === "none" && alwaysThinks.test(model)) return withMinimal.test(model) ? "minimal" : "low";
  return effort === "minimal" && !withMinimal.test(model) ? "low" : effort;
}

/** The options of reasoning for an effort. `optionsOf` names them for the protocol. */
export function effortOptions(
  { model }: ModelRequest,
  thinking: ThinkingRequest | null,
  optionsOf: (effort: Effort) => ReasoningOptions["options"] = (effort) => ({ reasoningEffort: effort }),
): ReasoningOptions {
  if (thinking === null) return noReasoning;
  if (!takesEffort(model)) {
    const warnings =
      thinking.effort === "none" ? [] : [`"${model.model}" does not reason; the reasoning options were left out.`];
    return { ...noReasoning, warnings };
  }
  const effort = effortOf(model, thinking.effort);
  const warnings: string[] = [];
  if (thinking.byTokens) {
    warnings.push(`OpenAI takes no thinking budget; ${thinking.tokens} tokens were asked for as effort "${effort}".`);
  }
  if (thinking.effort === "none" && effort !== "none") {
    warnings.push(`"${model.model}" always thinks; it was asked for effort "${effort}".`);
  }
  return { options: optionsOf(effort), budget: 0, warnings };
}
