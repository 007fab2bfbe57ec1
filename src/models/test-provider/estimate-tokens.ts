// Token counts for scripted answers that name none, by the rule every estimate follows (figures: tokens): UTF-8 bytes by
// four, images by their bytes, a few tokens for the frame of each message and call.

import type { Usage } from "#contract/usage.ts";
import type { ModelMessage, ModelRequest } from "#core/ports/model-port.ts";
import type { StoredPart } from "#core/record.ts";
import type { TestTurn } from "#spec/index.ts";

const encoder = new TextEncoder();

function textTokens(text: string): number {
  return Math.ceil(encoder.encode(text).length / 4);
}

function imageTokens(base64: string): number {
  const bytes = Math.floor((base64.length * 3) / 4);
  return Math.min(Math.max(Math.floor(bytes / 750), 85), 16_000);
}

function callTokens(name: string, given: unknown): number {
  return textTokens(name) + textTokens(typeof given === "string" ? given : JSON.stringify(given)) + 8;
}

function partTokens(part: StoredPart): number {
  switch (part.type) {
    case "text":
      return textTokens(part.text);
    case "thinking":
      return textTokens(part.thinking);
    case "tool_call":
      return callTokens(part.name, part.arguments);
    case "image":
      return imageTokens(part.data ?? "");
    case "file":
      return textTokens(part.name ?? part.mime_type);
  }
}

function messageTokens(message: ModelMessage): number {
  const parts = message.parts.reduce((sum, part) => sum + partTokens(part), 0);
  if (message.role !== "tool") return parts + 4;
  const { result, name } = message;
  return parts + textTokens(result?.result ?? result?.error ?? "") + textTokens(name ?? "") + 8;
}

function turnTokens(turn: TestTurn): number {
  const text = typeof turn.text === "string" ? turn.text : (turn.text ?? []).join("");
  const calls = (turn.toolCalls ?? []).reduce((sum, call) => sum + callTokens(call.name, call.arguments), 0);
  return textTokens(text) + textTokens(turn.thinking ?? "") + calls;
}

/** Counts of a scripted answer: what the turn says of itself, the rest estimated. */
export function scriptedUsage(request: ModelRequest, turn: TestTurn): Usage {
  const cache_read = turn.usage?.cacheRead ?? 0;
  const cache_write = turn.usage?.cacheWrite ?? 0;
  const prompt = request.messages.reduce((sum, message) => sum + messageTokens(message), textTokens(request.system));
  const input = turn.usage?.input ?? prompt;
  const output = turn.usage?.output ?? turnTokens(turn);
  return { input, output, cache_read, cache_write, total_tokens: input + output + cache_read + cache_write };
}
