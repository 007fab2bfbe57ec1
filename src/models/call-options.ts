// Converts a model request to call options of the AI SDK: everything except the transcript, that is tools, tool choice, limits, and the
// options under the provider's name. Holds no state and sends nothing.

import type { JSONObject, LanguageModelV3CallOptions, LanguageModelV3FunctionTool } from "@ai-sdk/provider";

import type { ModelMessage, ModelRequest } from "#core/ports/model-port.ts";

import { convertPrompt } from "./convert-prompt.ts";
import type { ProviderSettings } from "./provider/provider-profile.ts";
import type { ProviderTools } from "./provider/tools/provider-tools.ts";
import { checkParams } from "./request-params.ts";
import { structureForm, structureOptions, withAnswerTool } from "./request-structure.ts";
import { toolSchema, type SentNames } from "./schema/sent-schema.ts";
import { settledMessages } from "./settled-calls.ts";
import { readThinkingRequest } from "./thinking-request.ts";
import { sendableMessages } from "./tool-calls-as-text.ts";
import { wellFormed } from "./well-formed.ts";

/** The tools of a request whose arguments are sent under other names. */
export type ToolNames = ReadonlyMap<string, SentNames>;

/** Call options, and warnings about options of the model request that were changed or left out. */
export interface PreparedCall {
  options: LanguageModelV3CallOptions;
  /** The name of the tool whose arguments are the structured answer; null if no call is forced. */
  answerTool: string | null;
  names: ToolNames;
  warnings: string[];
}

/** Converts the tools. A tool that cannot be sent is left out, because it would make the provider refuse the whole request. */
function convertTools(
  { model, tools }: ModelRequest,
  to: ProviderSettings,
): { tools: LanguageModelV3FunctionTool[]; names: ToolNames; warnings: string[] } {
  const { profile } = to;
  const rules = profile.schemaRules({ model, to });
  const converted: LanguageModelV3FunctionTool[] = [];
  const names = new Map<string, SentNames>();
  const warnings: string[] = [];
  // Decision 19: a request to a model that calls no functions has no tools.
  for (const { name, description, parameters } of model.capabilities?.functionCalling === false ? [] : tools) {
    const read = toolSchema(parameters, rules);
    if ("problem" in read) {
      warnings.push(`The tool "${name}" was left out: the schema of its arguments ${read.problem}.`);
      continue;
    }
    if (read.names !== null) names.set(name, read.names);
    converted.push({ type: "function", name, description, inputSchema: read.schema, ...profile.toolFields });
  }
  return { tools: converted, names, warnings };
}

/** The messages with the arguments of earlier calls under the names that are sent. */
function withSentNames(messages: ModelMessage[], names: ToolNames): ModelMessage[] {
  if (names.size === 0) return messages;
  return messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) => {
      const tool = part.type === "tool_call" && typeof part.arguments !== "string" ? names.get(part.name) : undefined;
      if (tool === undefined || part.type !== "tool_call") return part;
      return { ...part, arguments: tool.sent(part.arguments) as typeof part.arguments };
    }),
  }));
}

/** Prepares the call options of a model request. `providerTools` sends its blocks of the provider's tools. `signal` aborts the request. Throws a RefusedRequest if it cannot be expressed. */
export function prepareCall(
  asked: ModelRequest,
  to: ProviderSettings,
  { signal, providerTools }: { signal: AbortSignal; providerTools: ProviderTools | null },
): PreparedCall {
  const { profile } = to;
  if (asked.params !== undefined) checkParams(asked.params, profile);
  const form = structureForm(asked, to);
  const settled = { ...asked, messages: settledMessages(asked.messages) };
  const request = withAnswerTool({ ...settled, messages: sendableMessages(settled, profile) }, form);
  const { model } = request;
  const converted = convertTools(request, to);
  const { names, warnings } = converted;
  const tools = wellFormed(converted.tools);
  const prompt = wellFormed(
    convertPrompt({ ...request, messages: withSentNames(request.messages, names) }, to, providerTools),
  );
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
  const unsent =
    temperature === undefined || takesTemperature
      ? []
      : [`"${model.model}" accepts no temperature; ${String(temperature)} was left out.`];
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
    names,
    warnings: [...warnings, ...(providerTools?.warnings ?? []), ...unsent, ...reasoning.warnings],
  };
}
