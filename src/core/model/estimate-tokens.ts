// Estimates token counts: a quarter of the UTF-8 bytes, images by their size, and a few tokens for each message and call
// (docs/reference/figures.md: Tokens).

import { utf8Length } from "#lib/utf8-length.ts";

import type { ModelMessage, ModelRequest } from "../ports/model-port.ts";
import type { StoredPart } from "../record/record.ts";
import { resultText } from "../request/request-messages.ts";

/** Tokens of a text. */
export function textTokens(text: string): number {
  return Math.ceil(utf8Length(text) / 4);
}

/** Tokens of a tool call; `given` are its arguments, as text or as JSON. */
export function callTokens(name: string, given: unknown): number {
  return textTokens(name) + textTokens(typeof given === "string" ? given : JSON.stringify(given)) + 8;
}

/** Tokens of parts of an answer or a message. */
export function partTokens(parts: readonly StoredPart[]): number {
  return parts.reduce((sum, part) => sum + tokensOf(part), 0);
}

/** Estimated tokens of a whole request: system prompt, messages and tools. */
export function requestTokens(request: Pick<ModelRequest, "system" | "messages" | "tools">): number {
  return request.tools.reduce((sum, tool) => sum + textTokens(JSON.stringify(tool)), promptTokens(request));
}

/** Estimated tokens of a request without its tools. */
export function promptTokens({ system, messages }: Pick<ModelRequest, "system" | "messages">): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), textTokens(system));
}

/** Tokens of a message. The text of a tool message is its result. `ofPart` counts one part. */
export function messageTokens(message: ModelMessage, ofPart = tokensOf): number {
  const { role, parts, name } = message;
  if (role !== "tool") {
    let tokens = 4;
    for (const part of parts) tokens += ofPart(part);
    return tokens;
  }
  const ofFiles = parts.reduce((sum, part) => sum + (part.type === "text" ? 0 : ofPart(part)), 8);
  return ofFiles + textTokens(resultText(message)) + textTokens(name ?? "");
}

/** Tokens of one part. */
export function tokensOf(part: StoredPart): number {
  switch (part.type) {
    case "text":
      return textTokens(part.text);
    case "thinking":
      return textTokens(part.thinking);
    case "tool_call":
      return callTokens(part.name, part.arguments);
    case "provider_tool":
      return callTokens(part.name, [part.input, part.output ?? null]);
    case "image":
      return imageTokens(part.data ?? "");
    case "file":
      return textTokens(part.name ?? part.mime_type);
  }
}

function imageTokens(base64: string): number {
  const bytes = Math.floor((base64.length * 3) / 4);
  return Math.min(Math.max(Math.floor(bytes / 750), 85), 16_000);
}
