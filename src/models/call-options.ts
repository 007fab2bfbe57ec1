// Converts a model request to call options of the AI SDK: everything except the transcript, that is tools, tool choice, limits, and the
// options under the provider's name. Holds no state and sends nothing.

import type { JSONObject, LanguageModelV3CallOptions, LanguageModelV3FunctionTool } from "@ai-sdk/provider";

import type { ModelRequest } from "#core/ports/model-port.ts";

import { convertPrompt } from "./convert-prompt.ts";
import type { ProviderProfile, ProviderSettings } from "./provider/provider-profile.ts";
import { checkParams } from "./request-params.ts";
import { structureForm, structureOptions, withAnswerTool } from "./request-structure.ts";
import { toolSchema } from "./schema/sent-schema.ts";
import { settledMessages } from "./settled-calls.ts";
import { readThinkingRequest } from "./thinking-request.ts";
import { sendableMessages } from "./tool-calls-as-text.ts";
import { wellFormed } from "./well-formed.ts";

/** Call options, and warnings about options of the model request that were changed or left out. */
export interface PreparedCall {
  options: LanguageModelV3CallOptions;
  /** The name of the tool whose arguments are the structured answer; null if no call is forced. */
  answerTool: string | null;
  warnings: string[];
}

/** Converts the tools. A tool that cannot be sent is left out, because it would make the provider refuse the whole request. */
function convertTools(
  { model, tools }: ModelRequest,
  profile: ProviderProfile,
): { tools: LanguageModelV3FunctionTool[]; warnings: string[] } {
  const converted: LanguageModelV3FunctionTool[] = [];
  const warnings: string[] = [];
  // Decision 19: a request to a model that calls no functions has no tools.
  for (const { name, description, parameters } of model.capabilities?.functionCalling === false ? [] : tools) {
    const read = toolSchema(parameters, profile, model.model);
    if ("problem" in read)
      warnings.push(`The tool "${name}" was left out: the schema of its arguments ${read.problem}.`);
    else converted.push({ type: "function", name, description, inputSchema: read.schema, ...profile.toolFields });
  }
  return { tools: converted, warnings };
}

/** Prepares the call options of a model request. `signal` aborts the request. Throws a RefusedRequest if it cannot be expressed. */
export function prepareCall(asked: ModelRequest, to: ProviderSettings, signal: AbortSignal): PreparedCall {
  const { profile } = to;
  if (asked.params !== undefined) checkParams(asked.params, profile);
  const form = structureForm(asked, to);
  const settled = { ...asked, messages: settledMessages(asked.messages) };
  const request = withAnswerTool({ ...settled, messages: sendableMessages(settled, profile) }, form);
  const { model } = request;
  const converted = convertTools(request, profile);
  const { warnings } = converted;
  const tools = wellFormed(converted.tools);
  const prompt = wellFormed(convertPrompt(request, to));
  profile.markCache?.(model, prompt, tools);

  const maxTokens = request.maxTokens ?? model.maxTokens ?? profile.defaultMaxTokens ?? null;
  const thinking = readThinkingRequest(request);
  const reasoning = profile.reasoning(request, { thinking, maxTokens, to });
  const options: JSONObject = { ...profile.options?.(request, tools.length > 0), ...reasoning.options };
  if (form?.type === "native") Object.assign(options, form.native.options);
  const temperature = request.temperature ?? model.temperature;
  // The provider's package adds the thinking budget to this limit, so the budget is subtracted here. The sum is the requested limit.
  const answerTokens = maxTokens === null ? null : maxTokens - reasoning.budget;
  const known = profile.compatibility?.(model, to.host) ?? model.compat;
  const limitField = known?.maxTokensField ?? "max_tokens";
  const takesTemperature = known?.supportsTemperature ?? true;
  const limitOption = limitField === "max_completion_tokens" ? profile.completionLimitOption : undefined;
  if (limitOption !== undefined && answerTokens !== null) options[limitOption] = answerTokens;

  return {
    options: {
      prompt,
      providerOptions: { [profile.optionsName]: options },
      includeRawChunks: true,
      abortSignal: signal,
      ...(tools.length === 0 ? {} : { tools, toolChoice: { type: request.toolChoice } }),
      ...structureOptions(form, asked),
      ...(answerTokens === null || limitOption !== undefined ? {} : { maxOutputTokens: answerTokens }),
      ...(temperature === undefined || !takesTemperature ? {} : { temperature }),
      ...(model.headers === undefined ? {} : { headers: model.headers }),
    },
    answerTool: form?.type === "call" ? form.tool.name : null,
    warnings: [...warnings, ...reasoning.warnings],
  };
}
