// A language model of the AI SDK that uses Converse, Bedrock's API for the models of all vendors. The AI SDK's package is not used (decision
// record 61: the wire of Bedrock). The transport (`bedrock-fetch.ts`) authenticates requests and turns the answer's frames into events.
// Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html.

import {
  APICallError,
  JSONParseError,
  UnsupportedFunctionalityError,
  type JSONObject,
  type LanguageModelV3,
  type LanguageModelV3CallOptions,
  type LanguageModelV3FunctionTool,
  type LanguageModelV3StreamPart,
} from "@ai-sdk/provider";

import { fieldsOf, isObject, parseJson } from "#lib/json-value.ts";
import { isVisible } from "#lib/visible-text.ts";

import { EventCutter } from "../event-text.ts";
import type { CallTarget } from "../provider/provider-profile.ts";
import { uriEncoded } from "./aws-signature.ts";
import { cachePoint, conversePrompt, isMarked } from "./converse-messages.ts";
import { ConverseParts } from "./converse-parts.ts";
import { thinkingFields, type ConverseThinking, type ThinkingFields } from "./converse-thinking.ts";

type Limit = ThinkingFields["refuses"][number];

/** The options of a request that the profile sets. */
export interface ConverseOptions {
  thinking?: ConverseThinking;
  /** False: the model may call only one tool at a time. Absent: true. */
  parallelToolCalls?: false;
}

function toolSpec(tool: LanguageModelV3FunctionTool): JSONObject[] {
  const { name, description, inputSchema, providerOptions } = tool;
  // The API refuses an empty description.
  const described = description !== undefined && isVisible(description) ? { description } : {};
  const spec = { toolSpec: { name, ...described, inputSchema: { json: inputSchema as JSONObject } } };
  return isMarked(providerOptions) ? [spec, cachePoint] : [spec];
}

/** The tools and the choice among them. Converse has no choice without a call. */
function toolConfig({ tools = [], toolChoice }: LanguageModelV3CallOptions): JSONObject {
  const specs = tools.flatMap((tool) => (tool.type === "function" ? toolSpec(tool) : []));
  if (specs.length === 0) return {};
  const choices = { auto: { auto: {} }, required: { any: {} }, none: undefined };
  const choice =
    toolChoice?.type === "tool" ? { tool: { name: toolChoice.toolName } } : choices[toolChoice?.type ?? "auto"];
  return { toolConfig: { tools: specs, ...(choice === undefined ? {} : { toolChoice: choice }) } };
}

/** The structure of the answer. The schema is a text. */
function outputConfig({ responseFormat }: LanguageModelV3CallOptions): JSONObject {
  if (responseFormat?.type !== "json" || responseFormat.schema === undefined) return {};
  const { name = "answer", schema } = responseFormat;
  const jsonSchema = { name, schema: JSON.stringify(schema) };
  return { outputConfig: { textFormat: { type: "json_schema", structure: { jsonSchema } } } };
}

/** The limits of a request. */
function limitsOf({ maxOutputTokens, temperature }: LanguageModelV3CallOptions): [Limit, number][] {
  const limits: [Limit, number | undefined][] = [
    ["maxTokens", maxOutputTokens],
    ["temperature", temperature],
  ];
  return limits.flatMap(([name, value]): [Limit, number][] => (value === undefined ? [] : [[name, value]]));
}

function thoughtOf(options: LanguageModelV3CallOptions, { model }: CallTarget): ThinkingFields | undefined {
  const { thinking } = fieldsOf(options.providerOptions?.["bedrock"]) as ConverseOptions;
  return thinking === undefined ? undefined : thinkingFields(model.model, thinking);
}

/** What a request does not ask for, although its definition or its prompt does, as sentences for the log. */
export function requestWarnings(options: LanguageModelV3CallOptions, target: CallTarget): string[] {
  const { model, to } = target;
  const { parallelToolCalls } = fieldsOf(options.providerOptions?.["bedrock"]) as ConverseOptions;
  const thought = thoughtOf(options, target);
  const warnings = [...(thought?.warnings ?? [])];
  for (const [name, value] of limitsOf(options))
    if (thought?.refuses.includes(name) === true)
      warnings.push(`The model accepts no ${name} with this thinking; ${name} ${value} was left out.`);
  if (options.toolChoice?.type === "none" && (options.tools ?? []).length > 0)
    warnings.push('Converse has no tool choice "none": the model may still call a tool, and the call is refused.');
  if (parallelToolCalls === false)
    warnings.push("Converse cannot limit a model to one tool call at a time; the option was left out.");
  if (isObject(model.cache) && to.profile.markCache === undefined)
    warnings.push(`Prompt caching of "${model.model}" is not known; the cache marks of the definition were left out.`);
  return warnings;
}

/** The body of a request. */
function bodyOf(options: LanguageModelV3CallOptions, target: CallTarget): JSONObject {
  const thought = thoughtOf(options, target);
  const limits = limitsOf(options).filter(([name]) => thought?.refuses.includes(name) !== true);
  const { system, messages } = conversePrompt(options.prompt, target.to.profile.flagsToolErrors);
  const fields = thought?.fields ?? {};
  return {
    messages: messages as unknown as JSONObject[],
    ...(system.length === 0 ? {} : { system }),
    ...(limits.length === 0 ? {} : { inferenceConfig: Object.fromEntries(limits) }),
    ...toolConfig(options),
    ...outputConfig(options),
    ...(Object.keys(fields).length === 0 ? {} : { additionalModelRequestFields: fields }),
  };
}

/** The error of a refused request. Its type is in a header, and is added to the body, where the types of other providers are. */
async function refusal(response: Response, url: string, body: JSONObject): Promise<APICallError> {
  const text = await response.text();
  const type = response.headers.get("x-amzn-errortype")?.split(":")[0];
  const fields = parseJson(text);
  const isTyped = type !== undefined && isObject(fields) && fields["type"] === undefined;
  return new APICallError({
    message: response.statusText,
    url,
    requestBodyValues: body,
    statusCode: response.status,
    responseBody: isTyped ? JSON.stringify({ ...fields, type }) : text,
  });
}

/** The parts of an answer's body. */
function partsOf(body: ReadableStream<Uint8Array> | null): ReadableStream<LanguageModelV3StreamPart> {
  // A success without a body is an answer that broke off.
  const empty = (): ReadableStream<Uint8Array> => new ReadableStream({ start: (controller) => controller.close() });
  const reader = (body ?? empty()).getReader();
  const decoder = new TextDecoder();
  const cutter = new EventCutter();
  const parts = new ConverseParts();
  const read = (text: string, isLast: boolean): LanguageModelV3StreamPart[] =>
    cutter.take(text, isLast).flatMap(({ data }) => {
      if (data === null || data.trim() === "[DONE]") return [];
      const event = parseJson(data);
      if (isObject(event)) return parts.take(event);
      return [{ type: "error", error: new JSONParseError({ text: data, cause: undefined }) }];
    });
  return new ReadableStream<LanguageModelV3StreamPart>({
    start: (controller) => controller.enqueue({ type: "stream-start", warnings: [] }),
    async pull(controller) {
      for (;;) {
        const { done, value } = await reader.read();
        const found = done
          ? [...read(decoder.decode(), true), ...parts.finish()]
          : read(decoder.decode(value, { stream: true }), false);
        for (const part of found) controller.enqueue(part);
        if (done) return controller.close();
        if (found.length > 0) return;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Creates the language model. `fetch` authenticates each request. */
export function converseModel(target: CallTarget, fetch: typeof globalThis.fetch): LanguageModelV3 {
  const { model, to } = target;
  const url = `${to.baseUrl ?? ""}/model/${uriEncoded(model.model)}/converse-stream`;
  return {
    specificationVersion: "v3",
    provider: "bedrock",
    modelId: model.model,
    supportedUrls: {},
    doGenerate: () => Promise.reject(new UnsupportedFunctionalityError({ functionality: "answers without a stream" })),
    async doStream(options) {
      const body = bodyOf(options, target);
      const headers = new Headers({ "content-type": "application/json", accept: "application/vnd.amazon.eventstream" });
      for (const [name, value] of Object.entries(options.headers ?? {}))
        if (value !== undefined) headers.set(name, value);
      const response = await fetch(url, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
        ...(options.abortSignal === undefined ? {} : { signal: options.abortSignal }),
      });
      if (!response.ok) throw await refusal(response, url, body);
      const { body: answer } = response as { body: ReadableStream<Uint8Array> | null };
      return { stream: partsOf(answer) };
    },
  };
}
