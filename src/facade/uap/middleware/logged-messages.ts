// Converts messages to lines of JSON for a log. Bytes are replaced by their number.

import { base64Bytes } from "#lib/base64.ts";
import { isObject } from "#lib/json-value.ts";

import type { BlockJSON } from "../../upp/block-json.ts";
import type { AnyMessage } from "../../upp/upp-message.ts";

/** Returns a line for each message: its kind, its blocks, its calls and its results. Opaque data of providers is left out. */
export function loggedMessages(messages: readonly AnyMessage[]): string {
  return messages
    .map((message) => {
      const { type, content, toolCalls, results } = message.toJSON();
      return JSON.stringify({ type, content: content.map(withoutBytes), toolCalls, results });
    })
    .join("\n");
}

/** Replaces the bytes of a block by their number. */
function withoutBytes(block: BlockJSON): BlockJSON {
  const { source, data } = block;
  if (typeof data === "string") return { ...block, data: byteText(data) };
  if (!isObject(source) || typeof source["data"] !== "string" || source["type"] === "text") return block;
  return { ...block, source: { ...source, data: byteText(source["data"]) } };
}

function byteText(base64: string): string {
  return `[${base64Bytes(base64)} bytes]`;
}
