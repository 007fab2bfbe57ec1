// The profile of Anthropic's Messages API: its thinking (a budget of tokens up to Claude 4.6, an effort for later models), its cache marks,
// its form of tool results, and its rule that clients ignore unknown kinds of events.

import type { LanguageModelV3FunctionTool, LanguageModelV3Message, LanguageModelV3Prompt } from "@ai-sdk/provider";

import type { AnswerStructure, ModelRequest } from "#core/ports/model-port.ts";
import { fieldsOf, isObject, type Fields } from "#lib/json-value.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { AnthropicRepair } from "../anthropic-repair.ts";
import { acceptedCallId } from "../call-ids.ts";
import { anthropicRules } from "../schema/wire-rules.ts";
import { fitBudget } from "../thinking-request.ts";
import { countOf, textOf } from "./chunk-field.ts";
import {
  noReasoning,
  placeIn,
  type ChunkUsage,
  type NativeStructure,
  type ProviderProfile,
  type ReasoningInput,
  type ReasoningOptions,
  type UnknownPiece,
} from "./provider-profile.ts";
import { isClosed } from "./strict-schema.ts";

// Decision 40: the token of a Claude subscription is a bearer token and needs this beta header.
const oauthKey = /^sk-ant-oat/;
const oauthBeta = { "anthropic-beta": "oauth-2025-04-20" };

/** The smallest thinking budget that Anthropic accepts. */
const thinkingFloor = 1024;

// `claude-opus-4-7`, `claude-sonnet-5`, `claude-haiku-5-5` and later; dates such as `claude-sonnet-4-20250514` are no versions.
const byEffort = /claude-[a-z]+-(?:4-[7-9]|[5-9]|[1-9]\d)(?!\d)/;

/**
 * Whether Anthropic's models refuse thinking for a request: if a tool call is forced, or if a tool call of the current tool loop has no
 * thinking of this owner.
 */
export function cannotThink(request: ModelRequest, owner: string): boolean {
  if (request.toolChoice === "required" && request.tools.length > 0) return true;
  const lastUser = request.messages.findLastIndex((message) => message.role === "user");
  return request.messages.slice(lastUser + 1).some((message) => {
    if (message.role !== "assistant" || !message.parts.some((part) => part.type === "tool_call")) return false;
    return !message.parts.some((part) => part.type === "thinking" && part.provider_data?.provider === owner);
  });
}

function reasoning(request: ModelRequest, { thinking, maxTokens }: ReasoningInput): ReasoningOptions {
  // Anthropic's models do not think unless a request asks for it.
  if (thinking === null || thinking.effort === "none") return noReasoning;
  if (cannotThink(request, anthropic.name)) {
    return { ...noReasoning, warnings: ["Anthropic was not asked to think: it refuses in this place."] };
  }
  const { model } = request.model;
  if (byEffort.test(model)) {
    const display = request.reasoning?.exclude === true ? "omitted" : "summarized";
    const effort = thinking.effort === "minimal" ? "low" : thinking.effort;
    const warnings = thinking.byTokens
      ? [`"${model}" takes no thinking budget; ${thinking.tokens} tokens were asked for as effort "${effort}".`]
      : [];
    return { options: { thinking: { type: "adaptive", display }, effort }, budget: 0, warnings };
  }
  const bounds = { who: "Anthropic", floor: thinkingFloor, ceiling: Infinity, limit: maxTokens };
  const { budget, warnings } = fitBudget(thinking, bounds);
  if (budget === null) return { ...noReasoning, warnings };
  return { options: { thinking: { type: "enabled", budgetTokens: budget } }, budget, warnings };
}

/** The parts of a request that get cache marks. */
interface CacheMarks {
  system: boolean;
  tools: boolean;
  messages: boolean;
}

/** The cache marks that a model's `cache` asks for. OpenRouter uses them for Anthropic's models too. */
export function cacheMarks({ cache = "auto" }: AnyModelDefinition): CacheMarks {
  if (cache === "auto") return { system: true, tools: true, messages: true };
  if (cache === "disabled") return { system: false, tools: false, messages: false };
  return { system: cache.system === true, tools: cache.tools === true, messages: cache.messages === true };
}

const mark = { cacheControl: { type: "ephemeral" } };

function markMessage(message: LanguageModelV3Message): void {
  message.providerOptions = { ...message.providerOptions, anthropic: mark };
}

/** The last message before the last turn. A turn is one assistant message, or all messages between two assistant messages. */
function endOfSecondToLastTurn(prompt: LanguageModelV3Prompt): LanguageModelV3Message | null {
  const isAssistant = (message: LanguageModelV3Message | undefined): boolean => message?.role === "assistant";
  let position = prompt.length - 1;
  const lastTurn = isAssistant(prompt[position]);
  while (position >= 0 && isAssistant(prompt[position]) === lastTurn) position--;
  const message = prompt[position];
  return message === undefined || message.role === "system" ? null : message;
}

/** Marks the last system message, the last tool and the end of the second-to-last turn (figures.md, "Cache breakpoints"). */
function markCache(
  model: AnyModelDefinition,
  prompt: LanguageModelV3Prompt,
  tools: readonly LanguageModelV3FunctionTool[],
): void {
  const marks = cacheMarks(model);
  const system = prompt.findLast((message) => message.role === "system");
  if (marks.system && system !== undefined) markMessage(system);
  const tool = tools.at(-1);
  if (marks.tools && tool !== undefined) tool.providerOptions = { ...tool.providerOptions, anthropic: mark };
  const message = endOfSecondToLastTurn(prompt);
  if (marks.messages && message !== null) markMessage(message);
}

// Claude models before 4.5, except Opus 4.1, have no structured output.
const withoutStructure = /claude-(?:instant|v?2|3|[a-z]+-4(?:-0)?(?:-\d{8}|-latest|$))/;

/** The maximum number of properties that can be left out in a schema that Anthropic enforces. */
const mostOptional = 10;

/** Every object of the schema is sent with `additionalProperties: false`, so a schema that permits other keys cannot be sent. */
function structure({ schema, strict }: AnswerStructure, { model }: ModelRequest): NativeStructure | null {
  if (strict === false || withoutStructure.test(model.model) || !isClosed(schema, mostOptional)) return null;
  return { schema, options: { structuredOutputMode: "outputFormat" } };
}

const knownEvents = new Set([
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
  "ping",
  "error",
]);
const knownBlocks = new Set(["text", "thinking", "redacted_thinking", "tool_use"]);
const knownDeltas = new Set(["text_delta", "thinking_delta", "signature_delta", "input_json_delta"]);

/**
 * Returns the unknown piece in a chunk. Anthropic may add kinds of events, blocks and deltas at any time and asks clients to ignore those
 * that they do not know.
 */
function unknownPiece({ type, index, content_block: block, delta }: Fields): UnknownPiece | null {
  if (!knownEvents.has(String(type))) return { block: null };
  const kindOf = (value: unknown): string => textOf(fieldsOf(value)["type"]) ?? "";
  if (type === "content_block_start" && kindOf(block) !== "" && !knownBlocks.has(kindOf(block))) {
    return { block: String(index) };
  }
  const isNewDelta = type === "content_block_delta" && kindOf(delta) !== "" && !knownDeltas.has(kindOf(delta));
  return isNewDelta ? { block: null } : null;
}

/** Token counts with the field names of the Messages API, which some servers of Chat Completions use too. */
export function anthropicUsage(value: unknown): ChunkUsage {
  const usage = fieldsOf(value);
  return {
    input: countOf(usage["input_tokens"]),
    output: countOf(usage["output_tokens"]),
    cache_read: countOf(usage["cache_read_input_tokens"]),
    cache_write: countOf(usage["cache_creation_input_tokens"]),
  };
}

export const anthropic: ProviderProfile = {
  name: "anthropic",
  cacheParts: () => ["system", "tools", "messages"],
  variables: {
    keys: ["ANTHROPIC_API_KEY"],
    baseUrls: ["ANTHROPIC_BASE_URL"],
    defaultPath: "/v1",
    gatewayPath: "anthropic/v1",
  },
  async load({ model, to }, fetch) {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    const credentials = oauthKey.test(to.apiKey) ? { authToken: to.apiKey, headers: oauthBeta } : { apiKey: to.apiKey };
    return createAnthropic({ fetch, ...(to.baseUrl === null ? {} : { baseURL: to.baseUrl }), ...credentials })(
      model.model,
    );
  },
  optionsName: "anthropic",
  options: ({ parallelToolCalls }, hasTools) =>
    hasTools && !parallelToolCalls ? { disableParallelToolUse: true } : {},
  reasoning,
  catalogueAt: (_, host) => placeIn("anthropic", "api.anthropic.com", host),
  structure,
  reservedFields: [
    ..."model messages system tools tool_choice stream output_config.format output_format".split(" "),
    ..."mcp_servers container".split(" "),
  ],
  // Anthropic requires a limit.
  defaultMaxTokens: 8192,
  schemaRules: () => anthropicRules,
  providerTools: "claude",
  needsToolDefinitions: () => true,
  callId: (id) => acceptedCallId(id, { refused: /[^a-zA-Z0-9_-]/g, length: 64 }),
  alternatesTurns: true,
  imagesInToolResults: true,
  flagsToolErrors: true,
  files: {
    bytes: ["application/pdf", "text/plain"],
    urls: ["application/pdf"],
    // https://docs.anthropic.com/en/docs/build-with-claude/vision
    images: ["image/jpeg", "image/png", "image/gif", "image/webp"],
  },
  markCache,
  pausesTurns: true,
  streamRepair: () => new AnthropicRepair(),
  errorEvent: (error) => `event: error\ndata: ${JSON.stringify({ type: "error", error })}\n\n`,
  readChunk: ({ message, usage, delta }) => ({
    usage: anthropicUsage(fieldsOf(message)["usage"] ?? usage),
    stopDetail: textOf(fieldsOf(fieldsOf(delta)["stop_details"])["explanation"]),
  }),
  unknownPiece,
  closesCallsAtEnd: false,
  isSigned: ({ anthropic: own }) => textOf(fieldsOf(own)["signature"], fieldsOf(own)["redactedData"]) !== null,
  isRedacted: ({ anthropic: own }) => isObject(own) && own["redactedData"] !== undefined,
};
