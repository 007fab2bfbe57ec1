// The profile of servers other than OpenAI's that implement Chat Completions. It contains their differences, as one preset for each known
// host: the fields that they refuse, the ids of tool calls that they accept, and the field in which they send thinking and expect it back.
// A model's `compat` takes precedence over the preset.

import type { JSONObject, LanguageModelV3Message } from "@ai-sdk/provider";

import type { StoredPart } from "#core/record.ts";

import { shortCallId } from "../call-ids.ts";
import { wireRules } from "../schema/wire-rules.ts";
import { wireSchema } from "../schema/wire-schema.ts";
import { chatCompletions } from "./chat-completions.ts";
import {
  asksForOneCall,
  chatFiles,
  effortOptions,
  openaiCallId,
  openaiFamily,
  openaiStructure,
  ownerAtHost,
  takesEffort,
} from "./openai-family.ts";
import { metadataUnder, type CallTarget, type ProviderProfile, type ProviderSettings } from "./provider-profile.ts";

/** The differences between a server and OpenAI's. */
interface ServerPreset {
  /** The server accepts `stream_options.include_usage`. */
  streamUsage: boolean;
  /** The server accepts only ids of tool calls with exactly nine letters and digits. */
  shortCallIds: boolean;
  /**
   * The server refuses assistant messages without thinking: all of them, or those with tool calls (`turns`). Messages without thinking are
   * sent with `value` as their thinking. Null: the server accepts messages without thinking.
   */
  neededThinking: { value: string; turns: "all" | "calls" } | null;
  /** The server accepts a JSON Schema as the form of an answer. */
  jsonSchema: boolean;
  /** Request fields that turn thinking off; null for a server that takes `reasoning_effort: "none"`. */
  thinkingOff: JSONObject | null;
}

const usual: ServerPreset = {
  streamUsage: true,
  shortCallIds: false,
  neededThinking: null,
  jsonSchema: true,
  thinkingOff: null,
};
const thinkingSwitch = { thinking: { type: "disabled" } };

/** Presets by host. */
const presets: readonly (readonly [RegExp, Partial<ServerPreset>])[] = [
  [/(^|\.)mistral\.ai$/, { streamUsage: false, shortCallIds: true }],
  [
    /(^|\.)deepseek\.com$/,
    { neededThinking: { value: "", turns: "all" }, jsonSchema: false, thinkingOff: thinkingSwitch },
  ],
  // If thinking is on, DeepSeek refuses earlier assistant messages without the field, and accepts an empty text in it (decision record 20:
  // OpenAI's two protocols). Kimi treats an empty text like a missing one, so it gets a space.
  [
    /(^|\.)moonshot\.(ai|cn)$/,
    { neededThinking: { value: " ", turns: "calls" }, jsonSchema: false, thinkingOff: thinkingSwitch },
  ],
  [/(^|\.)(z\.ai|bigmodel\.cn)$/, { jsonSchema: false, thinkingOff: thinkingSwitch }],
];

/** The presets of hosts that were requested. A request needs its preset for each assistant message. */
const presetsByHost = new Map<string | null, ServerPreset>();
const maxHosts = 100;

function presetAt({ host }: ProviderSettings): ServerPreset {
  const known = presetsByHost.get(host);
  if (known !== undefined) return known;
  const preset = findPreset(host);
  if (presetsByHost.size === maxHosts) presetsByHost.clear();
  presetsByHost.set(host, preset);
  return preset;
}

function findPreset(host: string | null): ServerPreset {
  const name = (host ?? "").replace(/:\d+$/, "");
  const found = presets.find(([names]) => names.test(name))?.[1];
  return { ...usual, ...found };
}

// OpenAI's reasoning models, called through a gateway. They refuse `max_tokens` and any temperature. OpenAI's package of the AI SDK omits
// both; the package for other servers does not.
const openaiReasons = /^(openai\/)?(o\d|gpt-([5-9]|\d\d)(?!-chat))/;

type AssistantMessage = Extract<LanguageModelV3Message, { role: "assistant" }>;

interface Thought {
  text: string;
  field: string;
}

/**
 * The stored thinking of an assistant message, if this server and this model created it. Thinking by another model of the server is
 * returned only if the server refuses messages without thinking: other servers may refuse it.
 */
function thinkingOf(parts: readonly StoredPart[], { model, to }: CallTarget): Thought | null {
  const needed = presetAt(to).neededThinking !== null;
  const thoughts = parts.flatMap((part) => {
    if (part.type !== "thinking" || part.thinking === "" || part.provider_data?.provider !== to.owner) return [];
    const { field, model: maker } = part.provider_data.data;
    return typeof field === "string" && (needed || maker === model.model) ? [{ text: part.thinking, field }] : [];
  });
  const first = thoughts[0];
  return first === undefined ? null : { text: thoughts.map(({ text }) => text).join("\n"), field: first.field };
}

/** Adds thinking to an assistant message, in the field in which the server sent it. A message without thinking gets `neededThinking`. */
function addThinking(message: AssistantMessage, parts: readonly StoredPart[], target: CallTarget): void {
  const thought = thinkingOf(parts, target) ?? neededThinking(message, target.to);
  if (thought === null) return;
  const fields =
    thought.field === "content" ? { content: contentWith(thought.text, message) } : { [thought.field]: thought.text };
  // The package copies these fields into the message that it sends.
  message.providerOptions = { ...message.providerOptions, openaiCompatible: fields };
}

function neededThinking({ content }: AssistantMessage, to: ProviderSettings): Thought | null {
  const needed = presetAt(to).neededThinking;
  if (needed === null) return null;
  if (needed.turns === "calls" && !content.some((part) => part.type === "tool-call")) return null;
  return { text: needed.value, field: "reasoning_content" };
}

function contentWith(text: string, { content }: AssistantMessage): JSONObject[] {
  const texts = content.flatMap((part) => (part.type === "text" ? [{ type: "text", text: part.text }] : []));
  return [{ type: "thinking", thinking: [{ type: "text", text }] }, ...texts];
}

/** A server other than OpenAI's that implements Chat Completions. */
export const openaiCompatible: ProviderProfile = {
  ...openaiFamily,
  ...chatCompletions,
  name: "openai-compatible",
  ownerAt: ownerAtHost("openai-compatible"),
  async load({ model, to }, fetch) {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const includeUsage = model.compat?.supportsStreamUsage ?? presetAt(to).streamUsage;
    // The package reads the options of a request under this name.
    const name = "openaiCompatible";
    return createOpenAICompatible({
      name,
      baseURL: to.baseUrl ?? "",
      apiKey: to.apiKey,
      fetch,
      includeUsage,
      // Whether a model and its server support it is decided by `structure`.
      supportsStructuredOutputs: true,
    })(model.model);
  },
  optionsName: "openaiCompatible",
  // The package passes on options that it does not know.
  options: (request, hasTools) => (asksForOneCall(request, hasTools) ? { parallel_tool_calls: false } : {}),
  reasoning(request, { thinking, to }) {
    const off = thinking?.effort === "none" && takesEffort(request.model) ? presetAt(to).thinkingOff : null;
    return off === null ? effortOptions(request, thinking) : { options: off, budget: 0, warnings: [] };
  },
  structure(structure, request, to) {
    const isSupported = request.model.capabilities?.structuredOutputs ?? presetAt(to).jsonSchema;
    return isSupported ? openaiStructure(structure, request) : null;
  },
  completionLimitOption: "max_completion_tokens",
  refusesSampling: (model) => openaiReasons.test(model),
  toolSchema: (parameters, model) => wireSchema(parameters, wireRules("openai-compatible", model)),
  callId: (id, to) => (presetAt(to).shortCallIds ? shortCallId(id) : openaiCallId(id)),
  files: chatFiles,
  // The package has no option for the role of system messages, but copies these fields into the message.
  systemMessageFields: ({ compat }) =>
    compat?.supportsDeveloperRole === true ? { openaiCompatible: { role: "developer" } } : {},
  addThinking,
  // Only the signature of Gemini's thinking is kept from the package's metadata.
  storedData: ({ kind, metadata, empty, thinkingField, model }) =>
    kind === "thinking" && !empty && thinkingField !== null
      ? { field: thinkingField, model }
      : metadataUnder(metadata, { reported: "openaiCompatible", sent: "google" }),
};
