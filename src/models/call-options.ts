// A request of ours as call options of the AI SDK. Owns everything that is not the transcript itself: tools, tool choice,
// limits, and each provider's own options. Holds no state and sends nothing.

import type { JSONObject, LanguageModelV3CallOptions, LanguageModelV3FunctionTool } from "@ai-sdk/provider";

import type { JsonObject } from "#contract/json.ts";
import type { ModelRequest } from "#core/ports/model-port.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { markCache } from "./cache-marks.ts";
import { convertPrompt } from "./convert-prompt.ts";
import { googleParameters, googleSchema } from "./google-schema.ts";
import { responsesOptions } from "./openai-responses.ts";
import type { NetworkProvider, ProviderSettings } from "./provider-settings.ts";
import { reasoningOptions } from "./reasoning-options.ts";
import { sendableMessages } from "./spoken-tools.ts";

// figures: `max_tokens` default. Anthropic demands one; the others have a default of their own.
const anthropicMaxTokens = 8192;

/** Call options, and what had to be bent to make them. */
export interface PreparedCall {
  options: LanguageModelV3CallOptions;
  warnings: string[];
}

function convertTools(request: ModelRequest, provider: NetworkProvider): LanguageModelV3FunctionTool[] {
  // Decision 19: a model that calls no functions is sent none.
  if (request.model.capabilities?.functionCalling === false) return [];
  return request.tools.map(({ name, description, parameters }) => ({
    type: "function",
    name,
    description,
    inputSchema: providerSchema(parameters, request, provider),
    // The Responses API uses strict mode by default, and a strict schema cannot have optional fields.
    ...(provider === "openai-responses" ? { strict: false } : {}),
  }));
}

/** OpenAI and Anthropic take JSON Schema as it is, so does OpenRouter for models that are not Google's. */
function providerSchema(parameters: JsonObject, { model }: ModelRequest, provider: NetworkProvider): JsonObject {
  if (provider === "google") return googleParameters(parameters);
  return provider === "openrouter" && model.model.startsWith("google/") ? googleSchema(parameters) : parameters;
}

// OpenAI's first reasoning models, o1 to o4-mini, refuse the field whatever its value.
const openaiOneCallOnly = /^(openai\/)?o\d/;

function openaiOptions({ model, parallelToolCalls }: ModelRequest, hasTools: boolean): JSONObject {
  const { compat } = model;
  return {
    // The field is refused without tools.
    ...(hasTools && !parallelToolCalls && !openaiOneCallOnly.test(model.model) ? { parallelToolCalls: false } : {}),
    ...(compat?.supportsDeveloperRole === undefined
      ? {}
      : { systemMessageMode: compat.supportsDeveloperRole ? "developer" : "system" }),
  };
}

/** Fields under their names on the wire: the package sends fields that it does not know unchanged. */
function compatibleOptions({ model, parallelToolCalls }: ModelRequest, hasTools: boolean): JSONObject {
  const oneCallOnly = openaiOneCallOnly.test(model.model);
  return hasTools && !parallelToolCalls && !oneCallOnly ? { parallel_tool_calls: false } : {};
}

// OpenAI's reasoning models, reached through a gateway. They refuse `max_tokens` and any temperature. The package for OpenAI's
// own address leaves both out; the package for other addresses does not.
const openaiReasons = /^(openai\/)?(o\d|gpt-([5-9]|\d\d)(?!-chat))/;

function reasonsElsewhere({ model }: AnyModelDefinition, provider: NetworkProvider): boolean {
  return provider === "openai-compatible" && openaiReasons.test(model);
}

/** The name under which each package reads the options of a request. */
const optionsName: Record<NetworkProvider, string> = {
  openai: "openai",
  "openai-responses": "openai",
  "openai-compatible": "openaiCompatible",
  anthropic: "anthropic",
  google: "google",
  openrouter: "openrouter",
};

/** The option that sends the token limit as `max_completion_tokens` in place of `max_tokens`. */
const otherLimitField: Partial<Record<NetworkProvider, string>> = {
  openai: "maxCompletionTokens",
  "openai-compatible": "max_completion_tokens",
};

function openrouterOptions({ model, parallelToolCalls }: ModelRequest, hasTools: boolean): JSONObject {
  return {
    usage: { include: true },
    ...(hasTools && !parallelToolCalls ? { parallel_tool_calls: false } : {}),
    ...(model.includedProviders === undefined || model.includedProviders.length === 0
      ? {}
      : // Decision 20: an order of preference, not a fence.
        { provider: { order: model.includedProviders, allow_fallbacks: true } }),
  };
}

function ownOptions(request: ModelRequest, provider: NetworkProvider, hasTools: boolean): JSONObject {
  switch (provider) {
    case "openai":
      return openaiOptions(request, hasTools);
    case "openai-responses":
      return responsesOptions(request, hasTools);
    case "openai-compatible":
      return compatibleOptions(request, hasTools);
    case "anthropic":
      return hasTools && !request.parallelToolCalls ? { disableParallelToolUse: true } : {};
    case "google":
      return {};
    case "openrouter":
      return openrouterOptions(request, hasTools);
  }
}

/** Prepares a call. `signal` aborts it. */
export function prepareCall(asked: ModelRequest, to: ProviderSettings, signal: AbortSignal): PreparedCall {
  const { provider } = to;
  const request = { ...asked, messages: sendableMessages(asked, provider) };
  const { model } = request;
  const tools = convertTools(request, provider);
  const prompt = convertPrompt(request, to);
  markCache(model, prompt, tools);

  const maxTokens = request.maxTokens ?? model.maxTokens ?? (provider === "anthropic" ? anthropicMaxTokens : null);
  const reasoning = reasoningOptions(request, to, maxTokens);
  const own: JSONObject = { ...ownOptions(request, provider, tools.length > 0), ...reasoning.options };
  const temperature = request.temperature ?? model.temperature;
  // The package adds the thinking budget to the limit; taken off here, the sum is the limit that was asked for.
  const answerTokens = maxTokens === null ? null : maxTokens - reasoning.budget;
  const reasons = reasonsElsewhere(model, provider);
  const limitField = model.compat?.maxTokensField ?? (reasons ? "max_completion_tokens" : "max_tokens");
  const otherField = limitField === "max_completion_tokens" ? otherLimitField[provider] : undefined;
  if (otherField !== undefined && answerTokens !== null) own[otherField] = answerTokens;

  return {
    options: {
      prompt,
      providerOptions: { [optionsName[provider]]: own },
      includeRawChunks: true,
      abortSignal: signal,
      ...(tools.length === 0 ? {} : { tools, toolChoice: { type: request.toolChoice } }),
      ...(answerTokens === null || otherField !== undefined ? {} : { maxOutputTokens: answerTokens }),
      ...(temperature === undefined || reasons ? {} : { temperature }),
      ...(model.headers === undefined ? {} : { headers: model.headers }),
    },
    warnings: reasoning.warnings,
  };
}
