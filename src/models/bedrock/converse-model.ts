// A language model of the AI SDK that speaks Converse, Bedrock's API for the models of all vendors. The AI SDK's package is not used (decision
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
import { thinkingFields, type ConverseThinking } from "./converse-thinking.ts";
import { familyOf } from "./model-family.ts";

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

/** The body of a request, and what of the request it does not contain. */
function requestOf(options: LanguageModelV3CallOptions, { model }: CallTarget) {
  const { thinking, parallelToolCalls } = fieldsOf(options.providerOptions?.["bedrock"]) as ConverseOptions;
  const warnings: string[] = [];
  const thought = thinking === undefined ? undefined : thinkingFields(model.model, thinking);
  warnings.push(...(thought?.warnings ?? []));
  const inferenceConfig: JSONObject = {};
  for (const [name, value] of [
    ["maxTokens", options.maxOutputTokens],
    ["temperature", options.temperature],
  ] as const) {
    if (value === undefined) continue;
    if (thought?.refuses.includes(name) === true)
      warnings.push(`The model accepts no ${name} with this thinking; ${name} ${value} was left out.`);
    else inferenceConfig[name] = value;
  }
  if (options.toolChoice?.type === "none" && (options.tools ?? []).length > 0)
    warnings.push('Converse has no tool choice "none": the model may still call a tool, and the call is refused.');
  if (parallelToolCalls === false)
    warnings.push("Converse cannot limit a model to one tool call at a time; the option was left out.");
  if (isObject(model.cache) && familyOf(model.model) !== "claude" && familyOf(model.model) !== "nova")
    warnings.push(`Prompt caching of "${model.model}" is not known; the cache marks of the definition were left out.`);
  const { system, messages } = conversePrompt(options.prompt);
  const fields = thought?.fields ?? {};
  const body: JSONObject = {
    messages: messages as unknown as JSONObject[],
    ...(system.length === 0 ? {} : { system }),
    ...(Object.keys(inferenceConfig).length === 0 ? {} : { inferenceConfig }),
    ...toolConfig(options),
    ...outputConfig(options),
    ...(Object.keys(fields).length === 0 ? {} : { additionalModelRequestFields: fields }),
  };
  return { body, warnings };
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
function partsOf(body: ReadableStream<Uint8Array>, first: LanguageModelV3StreamPart) {
  const reader = body.getReader();
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
    start: (controller) => controller.enqueue(first),
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
      const { body, warnings } = requestOf(options, target);
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
      const first: LanguageModelV3StreamPart = {
        type: "stream-start",
        warnings: warnings.map((message) => ({ type: "other", message })),
      };
      return { stream: partsOf(answer ?? new Response("").body ?? new ReadableStream(), first) };
    },
  };
}
