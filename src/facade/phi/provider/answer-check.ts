// Checks the events and the answers of providers that programs implement, before the core reads them.

import { isObject } from "#lib/json-value.ts";

import type { StreamEvent } from "./stream-provider.ts";

const stopReasons: readonly unknown[] = ["stop", "length", "toolUse", "error", "aborted"];
const counts = ["input", "output", "cache_read", "cache_write", "total_tokens"] as const;

/** What is wrong with an answer, as the end of a sentence; null for an answer of the right form. */
export function problemOfAnswer(value: unknown): string | null {
  if (!isObject(value) || value["role"] !== "assistant") return "is not an assistant message";
  const { content, stop_reason, usage } = value;
  if (!Array.isArray(content)) return "has no list `content`";
  for (const [at, block] of (content as unknown[]).entries()) {
    const problem = problemOfBlock(block);
    if (problem !== null) return `has a wrong block: \`content[${at}]\` ${problem}`;
  }
  if (!stopReasons.includes(stop_reason)) return `has the stop reason ${JSON.stringify(stop_reason)?.slice(0, 100)}`;
  for (const name of counts) {
    const count: unknown = isObject(usage) ? usage[name] : undefined;
    if (!Number.isSafeInteger(count) || (count as number) < 0) return `has no whole number \`usage.${name}\``;
  }
  return null;
}

function problemOfBlock(block: unknown): string | null {
  if (!isObject(block)) return "is not an object";
  const { type, provider_data } = block;
  const texts = textsOf(type);
  if (texts === null) return `has the type ${JSON.stringify(type)?.slice(0, 100)}`;
  const missing = texts.find((name) => typeof block[name] !== "string");
  if (missing !== undefined) return `has no text \`${missing}\``;
  if (type === "toolCall" && block["arguments"] === undefined) return "has no `arguments`";
  const isData =
    isObject(provider_data) && typeof provider_data["provider"] === "string" && isObject(provider_data["data"]);
  return provider_data === undefined || isData ? null : "has `provider_data` without `provider` and `data`";
}

/** The fields of a block that have to be texts; null for an unknown block. */
function textsOf(type: unknown): readonly string[] | null {
  switch (type) {
    case "text":
      return ["text"];
    case "thinking":
      return ["thinking"];
    case "toolCall":
      return ["id", "name"];
    case "image":
      return ["data", "mime_type"];
    default:
      return null;
  }
}

/** What is wrong with an event, as the end of a sentence; null for an event of the right form. */
export function problemOfEvent(event: unknown): string | null {
  if (!isObject(event)) return "is not an object";
  const { type } = event as { type: StreamEvent["type"] };
  const index: unknown = event["content_index"];
  switch (type) {
    case "Start":
      return null;
    case "Done":
    case "Error": {
      const problem = problemOfAnswer(event["message"]);
      return problem === null ? null : `has a message that ${problem}`;
    }
    case "TextDelta":
    case "ThinkingDelta":
    case "ToolCallDelta":
      return typeof event["delta"] === "string" ? problemOfIndex(index) : "has no text `delta`";
    case "ToolCallStart":
      return typeof event["id"] === "string" && typeof event["name"] === "string"
        ? problemOfIndex(index)
        : "has no texts `id` and `name`";
    case "ToolCallEnd":
      return problemOfIndex(index);
    default:
      return "is of no known type";
  }
}

function problemOfIndex(index: unknown): string | null {
  return Number.isSafeInteger(index) && (index as number) >= 0 ? null : "has no whole number `content_index`";
}
