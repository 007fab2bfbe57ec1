// Servers other than OpenAI's that speak Chat Completions. Owns their differences, one preset for each known host: the fields
// that they refuse, the ids of calls that they accept, and the field in which they send thinking and expect it back. A model's
// `compat` takes precedence over the preset.

import type { JSONObject, LanguageModelV3Message } from "@ai-sdk/provider";

import type { StoredPart } from "#core/record.ts";

import { shortCallId } from "../call-ids.ts";
import { chatCompletions } from "./chat-completions.ts";
import {
  asksForOneCall,
  effortOptions,
  openaiCallId,
  openaiFamily,
  ownerAtHost,
  takesEffort,
} from "./openai-family.ts";
import { metadataUnder, type CallTarget, type ProviderProfile, type ProviderSettings } from "./provider-profile.ts";

/** Differences of a server from OpenAI's. */
interface ServerPreset {
  /** The server accepts `stream_options.include_usage`. */
  streamUsage: boolean;
  /** The server accepts only ids of calls that are nine letters and digits. */
  shortCallIds: boolean;
  /**
   * The server refuses turns of the assistant without thinking: all of them, or those with calls (`turns`). Turns that have no
   * thinking are sent with `value`. Null: the server accepts turns without thinking.
   */
  neededThinking: { value: string; turns: "all" | "calls" } | null;
  /** Request fields that turn thinking off; null for a server that takes `reasoning_effort: "none"`. */
  thinkingOff: JSONObject | null;
}

const usual: ServerPreset = { streamUsage: true, shortCallIds: false, neededThinking: null, thinkingOff: null };
const thinkingSwitch = { thinking: { type: "disabled" } };

/** Presets by host. */
const presets: readonly (readonly [RegExp, Partial<ServerPreset>])[] = [
  [/(^|\.)mistral\.ai$/, { streamUsage: false, shortCallIds: true }],
  [/(^|\.)deepseek\.com$/, { neededThinking: { value: "", turns: "all" }, thinkingOff: thinkingSwitch }],
  // DeepSeek refuses earlier turns without the field while it thinks, and accepts an empty text in turns that had no thinking
  // (decision record 20). Kimi treats an empty text like a missing one.
  [/(^|\.)moonshot\.(ai|cn)$/, { neededThinking: { value: " ", turns: "calls" }, thinkingOff: thinkingSwitch }],
  [/(^|\.)(z\.ai|bigmodel\.cn)$/, { thinkingOff: thinkingSwitch }],
];

function presetAt({ host }: ProviderSettings): ServerPreset {
  const name = (host ?? "").replace(/:\d+$/, "");
  const found = presets.find(([names]) => names.test(name))?.[1];
  return { ...usual, ...found };
}

// OpenAI's reasoning models, reached through a gateway. They refuse `max_tokens` and any temperature. The package for OpenAI's
// address leaves both out; the package for other addresses does not.
const openaiReasons = /^(openai\/)?(o\d|gpt-([5-9]|\d\d)(?!-chat))/;

type AssistantMessage = Extract<LanguageModelV3Message, { role: "assistant" }>;

interface Thought {
  text: string;
  field: string;
}

/** The stored thinking of a turn, if this server and this model made it. A server may refuse the field for another model. */
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

/** Adds the thinking of a turn to its message, in the field in which the server sent it; without thinking, `neededThinking`. */
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

/** A server other than OpenAI's that speaks Chat Completions. */
export const openaiCompatible: ProviderProfile = {
  ...openaiFamily,
  ...chatCompletions,
  name: "openai-compatible",
  ownerAt: ownerAtHost("openai-compatible"),
  async load({ model, to }, fetch) {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const includeUsage = model.compat?.supportsStreamUsage ?? presetAt(to).streamUsage;
    // The package reads the options of a request under its name.
    const name = "openaiCompatible";
    return createOpenAICompatible({ name, baseURL: to.baseUrl ?? "", apiKey: to.apiKey, fetch, includeUsage })(
      model.model,
    );
  },
  optionsName: "openaiCompatible",
  // The package sends fields that it does not know unchanged.
  options: (request, hasTools) => (asksForOneCall(request, hasTools) ? { parallel_tool_calls: false } : {}),
  reasoning(request, { thinking, to }) {
    const off = thinking?.effort === "none" && takesEffort(request.model) ? presetAt(to).thinkingOff : null;
    return off === null ? effortOptions(request, thinking) : { options: off, budget: 0, warnings: [] };
  },
  completionLimitOption: "max_completion_tokens",
  refusesSampling: (model) => openaiReasons.test(model),
  callId: (id, to) => (presetAt(to).shortCallIds ? shortCallId(id) : openaiCallId(id)),
  fileTypes: /^(application\/pdf|audio\/(wav|mp3|mpeg))$/,
  filesByUrl: false,
  // The package has no option for the role, but copies these fields into the message.
  systemMessageFields: ({ compat }) =>
    compat?.supportsDeveloperRole === true ? { openaiCompatible: { role: "developer" } } : {},
  addThinking,
  // Of the package's metadata only the signature of Gemini's thinking is kept.
  storedData: ({ kind, metadata, empty, thinkingField, model }) =>
    kind === "thinking" && !empty && thinkingField !== null
      ? { field: thinkingField, model }
      : metadataUnder(metadata, { reported: "openaiCompatible", sent: "google" }),
};
