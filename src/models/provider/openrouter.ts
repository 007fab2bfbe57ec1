// The profile of OpenRouter, which forwards requests to the providers of the models. It applies the rules of Anthropic and Google, which
// OpenRouter does not hide, and adds cache marks for Claude. OpenRouter reads a mark only inside a content block, and its package writes no
// such marks into assistant messages and tool results, so the marks are added to the request's body. So is thinking that a model requires.
// Invariants: at most three marks; a
// message has the same form in every request, with or without a mark, so that the provider finds it in its cache.

import type { JSONObject } from "@ai-sdk/provider";

import { fieldsOf, isObject, listOf, type Fields } from "#lib/json-value.ts";
import { parseOwnJson } from "#lib/untrusted/own-json.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { ChatRepair } from "../chat-repair.ts";
import { rulesOfSchemas, type WireRules } from "../schema/wire-rules.ts";
import { fitBudget } from "../thinking-request.ts";
import { cacheMarks } from "./anthropic.ts";
import { chatCompletions } from "./chat-completions.ts";
import { compatibilityOf } from "./compatibility.ts";
import { printableCallId } from "./openai-family.ts";
import { metadataUnder, type ProviderProfile, type ReasoningInput } from "./provider-profile.ts";
import { fitsStrictMode } from "./strict-schema.ts";

/** The default host. The address of a proxy changes nothing about the models. */
const host = "openrouter.ai";

const isAnthropic = (model: string): boolean => model.startsWith("anthropic/");

/** OpenRouter forwards schemas to the provider of the model. Those of Anthropic are the strictest of the providers that no id names. */
const schemaRules = (model: AnyModelDefinition): WireRules =>
  rulesOfSchemas[compatibilityOf(model, host).schemaRules ?? "anthropic"];

function depthOf(
  model: string,
  { thinking, maxTokens: limit }: ReasoningInput,
): { depth: JSONObject; warnings: string[] } {
  if (thinking === null) return { depth: {}, warnings: [] };
  if (!thinking.byTokens) return { depth: { effort: thinking.effort }, warnings: [] };
  const floor = isAnthropic(model) ? 1024 : 1;
  const { budget, warnings } = fitBudget(thinking, { who: "OpenRouter", floor, ceiling: Infinity, limit });
  return { depth: budget === null ? {} : { max_tokens: budget }, warnings };
}

const mark = { type: "ephemeral" };

/** Converts the text of a message to a content block, and removes a mark outside of content blocks. */
function inBlocks(message: Fields): Fields {
  const { cache_control: _outside, ...rest } = message;
  const { content } = rest;
  return typeof content === "string" && content !== "" ? { ...rest, content: [{ type: "text", text: content }] } : rest;
}

/** Marks the last text block of a message, or its last block if it has no text block. */
function markEnd(message: Fields | undefined): void {
  const blocks = listOf(message?.["content"]).filter(isObject);
  const end = blocks.findLast((block) => block["type"] === "text") ?? blocks.at(-1);
  if (end !== undefined) end["cache_control"] = mark;
}

/** Adds the marks to the body of a request: at the system prompt, and at the ends of the last two turns that are not the assistant's. */
function marked(body: Fields, model: AnyModelDefinition): Fields {
  const messages = listOf(body["messages"]).filter(isObject).map(inBlocks);
  const { system, messages: turns } = cacheMarks(model);
  if (system) markEnd(messages.findLast(({ role }) => role === "system"));
  const spoken = messages.filter(({ role }) => role !== "system");
  // A conversation of one message gets no mark, as in requests to Anthropic's own API.
  if (turns && spoken.length > 1) {
    const ends = spoken.filter(
      ({ role }, at) => role !== "assistant" && (spoken[at + 1]?.["role"] ?? "assistant") === "assistant",
    );
    for (const end of ends.slice(-2)) markEnd(end);
  }
  return { ...body, messages };
}

/**
 * Adds thinking to the assistant messages without thinking, for models whose provider refuses such messages: "The `reasoning_content` in the
 * thinking mode must be passed back to the API" (https://github.com/danny-avila/LibreChat/issues/13366).
 */
function withRequiredThinking(body: Fields, model: AnyModelDefinition): Fields {
  const { requiresThinking, emptyThinking } = compatibilityOf(model, host);
  const messages = listOf(body["messages"]).map((message) => {
    if (!isObject(message) || message["role"] !== "assistant" || message["reasoning"] !== undefined) return message;
    const isRefused = requiresThinking === "all" || message["tool_calls"] !== undefined;
    return isRefused ? { ...message, reasoning_content: emptyThinking } : message;
  });
  return { ...body, messages };
}

/** Creates a fetch that completes the bodies of requests to some models. Returns `fetch` unchanged for other models. */
function completedFetch(fetch: typeof globalThis.fetch, model: AnyModelDefinition): typeof globalThis.fetch {
  const isThinking = compatibilityOf(model, host).requiresThinking !== "none";
  if (!isAnthropic(model.model) && !isThinking) return fetch;
  const complete = isThinking ? withRequiredThinking : marked;
  const marking = (input: Parameters<typeof globalThis.fetch>[0], init?: RequestInit): Promise<Response> => {
    const body: unknown = typeof init?.body === "string" ? parseOwnJson(init.body) : null;
    return fetch(input, isObject(body) ? { ...init, body: JSON.stringify(complete(body, model)) } : init);
  };
  return marking as typeof globalThis.fetch;
}

// The media types that the provider's package converts to OpenRouter's formats of audio. The model's provider decides which formats it
// reads.
const audioTypes = "mpeg mp3 wav x-wav wave ogg vorbis aac x-aac m4a x-m4a mp4 aiff x-aiff flac x-flac pcm16 pcm24"
  .split(" ")
  .map((name) => `audio/${name}`);

export const openrouter: ProviderProfile = {
  ...chatCompletions,
  // The package ignores refusals.
  streamRepair: (toolNames) => new ChatRepair(toolNames, { hasRefusals: false }),
  name: "openrouter",
  variables: {
    keys: ["OPENROUTER_API_KEY"],
    baseUrls: ["OPENROUTER_BASE_URL"],
    defaultPath: "/api/v1",
    gatewayPath: "openrouter/v1",
  },
  async load({ model, to: { apiKey, baseUrl } }, fetch) {
    const { createOpenRouter } = await import("@openrouter/ai-sdk-provider");
    const marking = completedFetch(fetch, model);
    const address = baseUrl === null ? {} : { baseURL: baseUrl };
    return createOpenRouter({ ...address, apiKey, fetch: marking, compatibility: "strict" }).chat(model.model);
  },
  optionsName: "openrouter",
  options: ({ model, parallelToolCalls }, hasTools) => ({
    usage: { include: true },
    ...(hasTools && !parallelToolCalls ? { parallel_tool_calls: false } : {}),
    ...(model.includedProviders === undefined || model.includedProviders.length === 0
      ? {}
      : // Decision 20: an order of preference; other providers may still serve.
        { provider: { order: model.includedProviders, allow_fallbacks: true } }),
  }),
  reasoning(request, input) {
    const exclude = request.reasoning?.exclude === true ? { exclude: true } : {};
    const { depth, warnings } = depthOf(request.model.model, input);
    const reasoning = { ...depth, ...exclude };
    return { options: Object.keys(reasoning).length === 0 ? {} : { reasoning }, budget: 0, warnings };
  },
  // OpenRouter reports the cost of each answer.
  choosesProviders: true,
  // The tools precede the system prompt, so its mark covers them.
  cacheParts: (model) => (isAnthropic(model) ? ["system", "messages"] : []),
  readsCompat: true,
  catalogueAt: () => ({ table: "openrouter", hasPrices: false }),
  // The package sends `strict: true` and has no option for it, so a schema that strict mode refuses is sent as the schema of a tool's
  // arguments.
  structure: ({ schema, strict }, { model }) =>
    strict !== false && fitsStrictMode(schema)
      ? { schema: schemaRules(model).convert?.(schema) ?? schema, options: {} }
      : null,
  schemaRules: ({ model }) => schemaRules(model),
  reservedFields: [...chatCompletions.reservedFields, "transforms", "models", "route", "usage"],
  needsToolDefinitions: isAnthropic,
  // The providers of the models accept these characters, or OpenRouter converts them.
  callId: (id) => printableCallId(id, 64),
  files: {
    bytes: ["application/pdf", ...audioTypes, "video/*"],
    urls: ["application/pdf", "video/*"],
  },
  needsFileNames: true,
  argumentsFromChunks: true,
  // The package sends only thinking with details, and not every provider sends them.
  storedData: ({ kind, metadata, empty }) =>
    metadataUnder(metadata, { reported: "openrouter" }) ??
    (kind === "thinking" && !empty ? { openrouter: { withoutDetails: true } } : null),
  thinkingData({ own, text }, { model }) {
    const isPlain = own["openrouter"]?.["withoutDetails"] === true;
    const isSent = isPlain && text !== "" && compatibilityOf(model, host).requiresThinking !== "none";
    return isSent
      ? { openrouter: { reasoning_details: [{ type: "reasoning.text", format: "unknown", text }] } }
      : { ...own };
  },
  repeatsThinkingData: true,
  providerTools: "openrouter",
  reportedCost({ openrouter: metadata }) {
    const cost = fieldsOf(fieldsOf(metadata)["usage"])["cost"];
    return typeof cost === "number" && cost >= 0 ? cost : null;
  },
};
