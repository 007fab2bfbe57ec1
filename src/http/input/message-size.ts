// Checks the size of stored content (architecture, bodies): the text of a message in UTF-8, its inline bytes, and the metadata of messages
// and threads. Also checks that each image or file part of a message has exactly one source.

import type { InputContent } from "#contract/content.ts";
import { refuse } from "#contract/error.ts";
import type { InputAttachment } from "#contract/input-attachment.ts";
import type { JsonObject } from "#contract/json.ts";
import type { PostMessage } from "#contract/message-route.ts";
import { inlineBytesLimit, messageTextLimit, metadataLimit } from "#contract/route.ts";
import { base64Bytes } from "#lib/base64.ts";
import { isVisible } from "#lib/visible-text.ts";

import { invalidField } from "./field-error.ts";

/** Throws `too_large` or `invalid_request`. `path` is the position of the content in the body. */
export function checkContent(content: InputContent, path: string, attachments: readonly InputAttachment[] = []): void {
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  let textBytes = 0;
  let inlineBytes = 0;
  for (const one of attachments) inlineBytes += "data" in one ? base64Bytes(one.data) : 0;
  for (const [index, part] of parts.entries()) {
    if (part.type === "text") {
      textBytes += utf8Length(part.text);
      continue;
    }
    const sources = [part.data, part.path, part.url].filter((source) => source !== undefined);
    if (sources.length !== 1) {
      throw invalidField(`${path}.${String(index)}`, "Give exactly one of data, path and url");
    }
    inlineBytes += base64Bytes(part.data ?? "");
  }
  if (textBytes > messageTextLimit) throw tooLarge(path, messageTextLimit);
  if (inlineBytes > inlineBytesLimit) throw tooLarge(path, inlineBytesLimit);
}

/** Throws `too_large` for metadata over the limit. `path` is its position in the body. */
export function checkMetadata(metadata: JsonObject | undefined, path = "metadata"): void {
  if (metadata !== undefined && utf8Length(JSON.stringify(metadata)) > metadataLimit)
    throw tooLarge(path, metadataLimit);
}

/** Throws `invalid_request` for a user's message that needs an answer but has no visible character. */
export function checkAnswerable(
  { role, run, content, attachments = [] }: Pick<PostMessage, "role" | "run" | "content" | "attachments">,
  path = "content",
): void {
  if (attachments.length > 0) return;
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  const isBlank = parts.every((part) => part.type === "text" && !isVisible(part.text));
  if (role === "user" && run && isBlank) throw invalidField(path, "Is blank, so there is nothing to answer");
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

function tooLarge(path: string, limit: number): Error {
  return refuse("too_large", `${path} is over ${String(limit)} bytes.`, { field: path, limit });
}
