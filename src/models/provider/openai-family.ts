// What OpenAI's models have in common in each of OpenAI's protocols, at OpenAI's address and at other servers: ids of tool calls, the owner
// of reasoning, and the efforts of reasoning that a model accepts.

import type { AnswerStructure, ModelRequest } from "#core/ports/model-port.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { acceptedCallId } from "../call-ids.ts";
import { rulesOfSchemas, type WireRules } from "../schema/wire-rules.ts";
import { wireSchema } from "../schema/wire-schema.ts";
import type { Effort, ThinkingRequest } from "../thinking-request.ts";
import type { AcceptedFiles } from "./accepted-files.ts";
import { compatibilityOf, presetAt } from "./compatibility.ts";
import {
  noReasoning,
  placeIn,
  type NativeStructure,
  type ProviderProfile,
  type ProviderSettings,
  type ReasoningOptions,
} from "./provider-profile.ts";
import { fitsStrictMode } from "./strict-schema.ts";

// OpenAI also has regional addresses, such as `eu.api.openai.com`.
const openaiHost = /^([a-z0-9-]+\.)?api\.openai\.com$/;

/** Whether a host is OpenAI's; null is the default address. */
export function isOpenaiHost(host: string | null): boolean {
  return host === null || openaiHost.test(host);
}

/** The owner of opaque data. It includes the host, because a server can read only the reasoning that it made itself. */
export function ownerAtHost(protocol: string): (host: string | null) => string {
  return (host) => (isOpenaiHost(host) ? protocol : `${protocol} ${host}`);
}

/** The files that Chat Completions accepts: audio as `input_audio`, PDF as `file`. It accepts neither as a URL. */
export const chatFiles: AcceptedFiles = {
  bytes: ["application/pdf", "audio/wav", "audio/mp3", "audio/mpeg"],
  urls: [],
};

/** Converts an id of a tool call to printable ASCII characters of a maximum number. */
export function printableCallId(id: string, length: number): string {
  return acceptedCallId(id, { refused: /[^\x21-\x7e]/g, length });
}

/** Converts an id of a tool call: Chat Completions accept at most 40 characters, the Responses API 64. */
export function openaiCallId(id: string): string {
  return printableCallId(id, 40);
}

/** The profile members that are the same in the Responses API and in Chat Completions, at OpenAI and at other servers. */
export const openaiFamily = {
  readsCompat: true,
  variables: { keys: ["OPENAI_API_KEY"], baseUrls: ["OPENAI_BASE_URL"], defaultPath: "/v1", gatewayPath: "openai" },
  callId: openaiCallId,
  schemaRules: ({ model, to }) => schemaRulesOf(model, to.host),
  catalogueAt(model, host) {
    // Another server may limit a model of the same name differently. The prices of OpenAI's regional addresses differ.
    if (isOpenaiHost(host)) return placeIn("openai", "api.openai.com", host);
    const table = presetAt(host);
    return table === undefined ? null : { table, hasPrices: true };
  },
} satisfies Partial<ProviderProfile>;

// OpenAI's models before the second version of GPT-4o have no structured output.
const withoutStructure = /^(openai\/)?(gpt-3|gpt-4($|-)|gpt-4o-2024-05-13|chatgpt-4o)/;

/** The rules for schemas in the Responses API, and in Chat Completions of OpenAI. */
function schemaRulesOf(model: AnyModelDefinition, host: string | null): WireRules {
  return rulesOfSchemas[compatibilityOf(model, host).schemaRules ?? "openai"];
}

/** The structure in OpenAI's form, strict if the schema fits OpenAI's strict mode; null for a model that does not support it. */
export function openaiStructure(
  structure: AnswerStructure,
  { model }: ModelRequest,
  to: ProviderSettings,
): NativeStructure | null {
  if (withoutStructure.test(model.model)) return null;
  const schema = wireSchema(structure.schema, schemaRulesOf(model, to.host));
  return { schema, options: { strictJsonSchema: structure.strict ?? fitsStrictMode(schema) } };
}

/** Whether a request asks for one tool call at a time. The field is refused in requests without tools. */
export function asksForOneCall({ model, parallelToolCalls }: ModelRequest, hasTools: boolean): boolean {
  return hasTools && !parallelToolCalls && compatibilityOf(model, null).supportsParallelToolCalls;
}

/** The option for the role of system messages, if the definition states it. */
export function systemRole({ model: { compat } }: ModelRequest): { systemMessageMode?: "developer" | "system" } {
  if (compat?.supportsDeveloperRole === undefined) return {};
  return { systemMessageMode: compat.supportsDeveloperRole ? "developer" : "system" };
}

// OpenAI's models that do not reason refuse reasoning options.
const withoutReasoning = /^(?:openai\/)?(gpt-3|gpt-4|chatgpt-4|gpt-5-chat)/;
// Models with the effort `minimal`. The lowest effort of all others is `low`.
const withMinimal = /^(?:openai\/)?gpt-5(-(mini|nano))?(-\d{4}|$)/;
// OpenAI's reasoning models before GPT-5.1, and all `pro` models, always think.
const alwaysThinks = /^(?:openai\/)?(?:o\d|gpt-5(-|$)|gpt-5[^a-z]*-pro)/;

/** Whether a model accepts an effort of reasoning. */
export function takesEffort({ compat, model }: ModelRequest["model"]): boolean {
  return compat?.supportsReasoningEffort ?? !withoutReasoning.test(model);
}

function effortOf({ compat, model }: ModelRequest["model"], effort: Effort): Effort {
  if (compat?.supportsReasoningEffort === true) return effort;
  if (effort === "none" && alwaysThinks.test(model)) return withMinimal.test(model) ? "minimal" : "low";
  return effort === "minimal" && !withMinimal.test(model) ? "low" : effort;
}

/** Returns the reasoning options for the thinking that a request asks for. `optionsOf` returns the options for an effort. */
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
