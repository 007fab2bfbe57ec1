// A request as call options of the AI SDK. Owns everything except the transcript: tools, tool choice, limits, and the options
// under the provider's name. Holds no state and sends nothing.

import type { JSONObject, LanguageModelV3CallOptions, LanguageModelV3FunctionTool } from "@ai-sdk/provider";

import type { ModelRequest } from "#core/ports/model-port.ts";

import { convertPrompt } from "./convert-prompt.ts";
import type { ProviderProfile, ProviderSettings } from "./provider/provider-profile.ts";
import { readThinkingRequest } from "./thinking-request.ts";
import { sendableMessages } from "./tool-calls-as-text.ts";

/** Call options, and warnings about options of the request that were changed or left out. */
export interface PreparedCall {
  options: LanguageModelV3CallOptions;
  warnings: string[];
}

function convertTools({ model, tools }: ModelRequest, profile: ProviderProfile): LanguageModelV3FunctionTool[] {
  // Decision 19: a request to a model that calls no functions has no tools.
  if (model.capabilities?.functionCalling === false) return [];
  return tools.map(({ name, description, parameters }) => ({
    type: "function",
    name,
    description,
    inputSchema: profile.toolSchema?.(parameters, model.model) ?? parameters,
    ...profile.toolFields,
  }));
}

/** Prepares a call. `signal` aborts it. */
export function prepareCall(asked: ModelRequest, to: ProviderSettings, signal: AbortSignal): PreparedCall {
  const { profile } = to;
  const request = { ...asked, messages: sendableMessages(asked, profile) };
  const { model } = request;
  const tools = convertTools(request, profile);
  const prompt = convertPrompt(request, to);
  profile.markCache?.(model, prompt, tools);

  const maxTokens = request.maxTokens ?? model.maxTokens ?? profile.defaultMaxTokens ?? null;
  const thinking = readThinkingRequest(request);
  const reasoning = profile.reasoning(request, { thinking, maxTokens, to });
  const options: JSONObject = { ...profile.options?.(request, tools.length > 0), ...reasoning.options };
  const temperature = request.temperature ?? model.temperature;
  // The package adds the thinking budget to the limit. Subtracted here, the sum is the limit of the request.
  const answerTokens = maxTokens === null ? null : maxTokens - reasoning.budget;
  const refusesSampling = profile.refusesSampling?.(model.model) ?? false;
  const limitField = model.compat?.maxTokensField ?? (refusesSampling ? "max_completion_tokens" : "max_tokens");
  const limitOption = limitField === "max_completion_tokens" ? profile.completionLimitOption : undefined;
  if (limitOption !== undefined && answerTokens !== null) options[limitOption] = answerTokens;

  return {
    options: {
      prompt,
      providerOptions: { [profile.optionsName]: options },
      includeRawChunks: true,
      abortSignal: signal,
      ...(tools.length === 0 ? {} : { tools, toolChoice: { type: request.toolChoice } }),
      ...(answerTokens === null || limitOption !== undefined ? {} : { maxOutputTokens: answerTokens }),
      ...(temperature === undefined || refusesSampling ? {} : { temperature }),
      ...(model.headers === undefined ? {} : { headers: model.headers }),
    },
    warnings: reasoning.warnings,
  };
}
