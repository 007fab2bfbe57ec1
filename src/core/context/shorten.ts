// Shortens the content of messages that a model receives: long tool results to a number of lines, old turns to one line, long texts to
// a number of tokens. Every function is pure and deterministic, so the same message is shortened to the same bytes in each request.

import type { Json } from "#contract/json.ts";
import { isVisible } from "#lib/visible-text.ts";

import { textTokens } from "../model/estimate-tokens.ts";
import type { ModelMessage } from "../ports/model-port.ts";
import type { StoredPart } from "../record/record.ts";
import { textOf } from "../record/view.ts";
import { resultText, withMessageText } from "../request/request-messages.ts";

/** The maximum number of UTF-8 bytes of an old turn's text (figures.md: Compaction). */
const essenceBytes = 200;

/** The text with at most `maxLines` lines. The marker is one of them, and the lines before it are at most one more than those after it. */
export function shortenLines(text: string, maxLines: number): string {
  const lines = text.split("\n");
  if (lines.length <= maxLines) return text;
  const remaining = Math.max(0, maxLines - 1);
  const tail = Math.floor(remaining / 2);
  const head = remaining - tail;
  const marker = `[... ${lines.length - remaining} lines truncated ...]`;
  return [...lines.slice(0, head), marker, ...lines.slice(lines.length - tail)].join("\n");
}

/** A tool message whose result has at most `maxLines` lines. Other messages are returned unchanged. */
export function shortenResult(message: ModelMessage, maxLines: number): ModelMessage {
  if (message.role !== "tool") return message;
  const text = resultText(message);
  const shortened = shortenLines(text, maxLines);
  return shortened === text ? message : withMessageText(message, shortened);
}

/**
 * An old turn reduced to one line, its essence: the beginning of the answer and the names of the tools that it called. It has the role of
 * the user, so that no call without its result and no second answer in a row is sent.
 */
export function turnEssence(answer: ModelMessage): ModelMessage {
  const known = essences.get(answer);
  if (known !== undefined) return known;
  const essence = newEssence(answer);
  essences.set(answer, essence);
  return essence;
}

/** The essences of answers. Each step of a loop sends the same old turns, so the essence of each is made once. */
const essences = new WeakMap<ModelMessage, ModelMessage>();

function newEssence(answer: ModelMessage): ModelMessage {
  const names = answer.parts.flatMap((part) =>
    part.type === "tool_call" || part.type === "provider_tool" ? [part.name] : [],
  );
  return {
    id: answer.id,
    role: "user",
    parts: [{ type: "text", text: essenceLine(textOf(answer.parts) ?? "", names) }],
    name: null,
    tool_call_id: null,
    result: null,
    ...(answer.joined === undefined ? {} : { joined: answer.joined }),
  };
}

/** The line that an answer is reduced to: the beginning of its text, and the names of the tools that it called. */
export function essenceLine(answer: string, calledTools: readonly string[]): string {
  const text = answer.replaceAll(/\s+/g, " ").trim();
  const called = calledTools.length === 0 ? [] : [`called ${[...new Set(calledTools)].join(", ")}`];
  const line = [...(!isVisible(text) ? [] : [beginning(text, essenceBytes)]), ...called].join("; ");
  return `[Summary] ${line === "" ? "An answer without text." : line}`;
}

/** The message with each of its texts, results and call arguments cut to about `tokens` tokens. */
export function cutMessage(message: ModelMessage, tokens: number): ModelMessage {
  if (message.role === "tool") {
    const text = resultText(message);
    const cut = cutMiddle(text, tokens);
    return cut === text ? message : withMessageText(message, cut);
  }
  const parts = message.parts.map((part) => cutPart(part, tokens));
  return parts.every((part, at) => part === message.parts[at]) ? message : { ...message, parts };
}

/** The beginning and the end of a text of more than `tokens` tokens, around a marker. A shorter text is returned unchanged. */
export function cutMiddle(text: string, tokens: number): string {
  // A character has at most three bytes per UTF-16 unit, so a short text needs no encoding.
  if (text.length * 3 <= tokens * 4 || textTokens(text) <= tokens) return text;
  const bytes = new TextEncoder().encode(text);
  const marker = `\n[... ${bytes.length} bytes, cut to fit the context ...]\n`;
  const remaining = Math.max(0, tokens * 4 - marker.length);
  const head = Math.ceil(remaining / 2);
  const tail = remaining - head;
  return `${decodeWhole(bytes.subarray(0, head))}${marker}${tail === 0 ? "" : decodeWhole(bytes.subarray(-tail))}`;
}

function cutPart(part: StoredPart, tokens: number): StoredPart {
  if (part.type === "text") {
    const text = cutMiddle(part.text, tokens);
    return text === part.text ? part : { type: "text", text };
  }
  if (part.type === "provider_tool") return cutProviderTool(part, tokens);
  if (part.type !== "tool_call") return part;
  const cut = cutStrings(part.arguments, tokens);
  return cut === part.arguments ? part : { ...part, arguments: cut as typeof part.arguments };
}

/** A call of the provider's with its strings cut, and without the data that its provider would receive whole. */
function cutProviderTool(part: Extract<StoredPart, { type: "provider_tool" }>, tokens: number): StoredPart {
  const { provider_data: data, ...call } = part;
  const [input, output] = [cutStrings(call.input, tokens), cutStrings(call.output ?? null, tokens)];
  const isCut = input !== call.input || output !== (call.output ?? null);
  const isLong = isCut || textTokens(JSON.stringify(data?.data ?? null)) > 4 * tokens;
  return isLong ? { ...call, input, ...(call.output === undefined ? {} : { output }) } : part;
}

/** The value with each of its strings cut. Returns the same value if no string is too long. */
export function cutStrings(value: Json, tokens: number): Json {
  if (typeof value === "string") return cutMiddle(value, tokens);
  if (Array.isArray(value)) {
    const items = value.map((item) => cutStrings(item, tokens));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, field]) => [key, cutStrings(field, tokens)] as const);
  return entries.every(([key, field]) => field === value[key]) ? value : Object.fromEntries(entries);
}

/** The beginning of a text with at most `limit` UTF-8 bytes. */
function beginning(text: string, limit: number): string {
  // A character has at most three bytes per UTF-16 unit, so a short text needs no encoding.
  if (text.length * 3 <= limit) return text;
  const bytes = new TextEncoder().encode(text.slice(0, limit + 1));
  return bytes.length <= limit ? text : `${decodeWhole(bytes.subarray(0, limit - 3))}…`;
}

/** The text of bytes that may begin and end within a character. */
function decodeWhole(bytes: Uint8Array): string {
  return new TextDecoder()
    .decode(bytes)
    .replace(/^\uFFFD+/, "")
    .replace(/\uFFFD+$/, "");
}
