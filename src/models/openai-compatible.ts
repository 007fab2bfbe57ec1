// Servers other than OpenAI's that speak Chat Completions. Owns in what they differ: which fields they refuse, which ids
// they take, and in which field they send their thinking and want it back. What is known of a host holds unless the
// model's `compat` says otherwise.

import type { JSONObject, LanguageModelV3Message } from "@ai-sdk/provider";

import type { JsonObject } from "#contract/json.ts";
import type { StoredPart } from "#core/record.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { hostOf, type ProviderSettings } from "./provider-settings.ts";

/** In what a server differs from OpenAI's own. */
export interface ServerTraits {
  /** Takes `stream_options.include_usage`. */
  streamUsage: boolean;
  /** Ids of calls are nine letters and digits. */
  shortCallIds: boolean;
  /**
   * Refuses turns of the assistant that carry no thinking: `value` is what stands where there was none, `turns` which
   * turns it refuses. Null: needs nothing.
   */
  neededThinking: { value: string; turns: "all" | "calls" } | null;
  /** Fields that ask it not to think; null: `reasoning_effort: "none"`. */
  thinkingOff: JSONObject | null;
}

const usual: ServerTraits = { streamUsage: true, shortCallIds: false, neededThinking: null, thinkingOff: null };
const thinkingSwitch = { thinking: { type: "disabled" } };

const known: readonly (readonly [RegExp, Partial<ServerTraits>])[] = [
  [/(^|\.)mistral\.ai$/, { streamUsage: false, shortCallIds: true }],
  [/(^|\.)deepseek\.com$/, { neededThinking: { value: "", turns: "all" }, thinkingOff: thinkingSwitch }],
  // Kimi reads an empty text as a missing one.
  [/(^|\.)moonshot\.(ai|cn)$/, { neededThinking: { value: " ", turns: "calls" }, thinkingOff: thinkingSwitch }],
  [/(^|\.)(z\.ai|bigmodel\.cn)$/, { thinkingOff: thinkingSwitch }],
];

/** What is known of the server at an address. */
export function serverTraits(baseUrl: string | null): ServerTraits {
  const host = (hostOf(baseUrl) ?? "").replace(/:\d+$/, "");
  const found = known.find(([name]) => name.test(host))?.[1];
  return { ...usual, ...found };
}

/** Whether the server is asked to count tokens in its stream. */
export function asksForUsage({ compat }: AnyModelDefinition, { baseUrl }: ProviderSettings): boolean {
  return compat?.supportsStreamUsage ?? serverTraits(baseUrl).streamUsage;
}

/** The fields in which servers send thinking; `content` is a list of parts, some of them thinking (Mistral). */
export type ThinkingField = "reasoning_content" | "reasoning" | "content";

/** What is kept with thinking, so that it can go back as it came. */
export function keptThinking(field: ThinkingField, model: string): JsonObject {
  return { field, model };
}

interface Thought {
  text: string;
  field: string;
}

/** The thinking of a turn that this server and model made. Others than its own model may refuse the field. */
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

/** Puts the thinking of a turn into its message, in the field it came in, and what the server needs where there was none. */
export function addThinking(
  message: Extract<LanguageModelV3Message, { role: "assistant" }>,
  parts: readonly StoredPart[],
  { model, to }: { model: AnyModelDefinition; to: ProviderSettings },
): void {
  const thought = ownThinking(parts, model, to) ?? neededThinking(message, to);
  if (thought === null) return;
  const fields =
    thought.field === "content" ? { content: contentWith(thought.text, message) } : { [thought.field]: thought.text };
  // The package spreads these into the message that it sends.
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
