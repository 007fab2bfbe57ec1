// Servers other than OpenAI's that speak Chat Completions. Owns their differences: the fields they refuse, the ids of calls
// they accept, and the field in which they send thinking and expect it back. A model's `compat` overrides what is known of a
// host.

import type { JSONObject, LanguageModelV3Message } from "@ai-sdk/provider";

import type { JsonObject } from "#contract/json.ts";
import type { StoredPart } from "#core/record.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { hostOf, type ProviderSettings } from "./provider-settings.ts";

/** Differences of a server from OpenAI's own. */
export interface ServerTraits {
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

const usual: ServerTraits = { streamUsage: true, shortCallIds: false, neededThinking: null, thinkingOff: null };
const thinkingSwitch = { thinking: { type: "disabled" } };

const known: readonly (readonly [RegExp, Partial<ServerTraits>])[] = [
  [/(^|\.)mistral\.ai$/, { streamUsage: false, shortCallIds: true }],
  [/(^|\.)deepseek\.com$/, { neededThinking: { value: "", turns: "all" }, thinkingOff: thinkingSwitch }],
  // DeepSeek refuses earlier turns without the field while it thinks, and accepts an empty text in turns that had no thinking
  // (decision record 20). Kimi treats an empty text like a missing one.
  [/(^|\.)moonshot\.(ai|cn)$/, { neededThinking: { value: " ", turns: "calls" }, thinkingOff: thinkingSwitch }],
  [/(^|\.)(z\.ai|bigmodel\.cn)$/, { thinkingOff: thinkingSwitch }],
];

/** The known differences of the server at an address. */
export function serverTraits(baseUrl: string | null): ServerTraits {
  const host = (hostOf(baseUrl) ?? "").replace(/:\d+$/, "");
  const found = known.find(([name]) => name.test(host))?.[1];
  return { ...usual, ...found };
}

/** Whether a request asks the server for token counts in the stream. */
export function asksForUsage({ compat }: AnyModelDefinition, { baseUrl }: ProviderSettings): boolean {
  return compat?.supportsStreamUsage ?? serverTraits(baseUrl).streamUsage;
}

/** The fields in which servers send thinking; `content` is a list of parts, some of them thinking (Mistral). */
export type ThinkingField = "reasoning_content" | "reasoning" | "content";

/** The data stored with thinking, so that later requests can send it back in the same field. */
export function keptThinking(field: ThinkingField, model: string): JsonObject {
  return { field, model };
}

interface Thought {
  text: string;
  field: string;
}

/** The stored thinking of a turn, if this server and this model made it. A server may refuse the field for another model. */
function ownThinking(parts: readonly StoredPart[], model: AnyModelDefinition, to: ProviderSettings): Thought | null {
  const needed = serverTraits(to.baseUrl).neededThinking !== null;
  const own = parts.flatMap((part) => {
    if (part.type !== "thinking" || part.thinking === "" || part.provider_data?.provider !== to.owner) return [];
    const { field, model: maker } = part.provider_data.data;
    return typeof field === "string" && (needed || maker === model.model) ? [{ text: part.thinking, field }] : [];
  });
  const first = own[0];
  return first === undefined ? null : { text: own.map(({ text }) => text).join("\n"), field: first.field };
}

/** Adds the thinking of a turn to its message, in the field in which the server sent it; without thinking, `neededThinking`. */
export function addThinking(
  message: Extract<LanguageModelV3Message, { role: "assistant" }>,
  parts: readonly StoredPart[],
  { model, to }: { model: AnyModelDefinition; to: ProviderSettings },
): void {
  const thought = ownThinking(parts, model, to) ?? neededThinking(message, to);
  if (thought === null) return;
  const fields =
    thought.field === "content" ? { content: contentWith(thought.text, message) } : { [thought.field]: thought.text };
  // The package copies these fields into the message that it sends.
  message.providerOptions = { ...message.providerOptions, openaiCompatible: fields };
}

function neededThinking(
  { content }: Extract<LanguageModelV3Message, { role: "assistant" }>,
  to: ProviderSettings,
): Thought | null {
  const needed = serverTraits(to.baseUrl).neededThinking;
  if (needed === null) return null;
  if (needed.turns === "calls" && !content.some((part) => part.type === "tool-call")) return null;
  return { text: needed.value, field: "reasoning_content" };
}

function contentWith(text: string, { content }: Extract<LanguageModelV3Message, { role: "assistant" }>): JSONObject[] {
  const said = content.flatMap((part) => (part.type === "text" ? [{ type: "text", text: part.text }] : []));
  return [{ type: "thinking", thinking: [{ type: "text", text }] }, ...said];
}
