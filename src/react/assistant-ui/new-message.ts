// Converts a message of assistant-ui's composer to a message to post. Content that a thread cannot store is refused, not dropped.

import type { AppendMessage } from "@assistant-ui/react";

import type { JsonObject, NewMessage } from "#client/index.ts";

import { pathOfAddress } from "./file-part.ts";

type Attachment = NonNullable<NewMessage["attachments"]>[number];
type InputPart = Exclude<NewMessage["content"], string>[number];
type FileData = Extract<AppendMessage["content"][number], { type: "image" | "file" }>;

/** Returns the message to post. Throws for a role, a part or an option that a thread does not support. */
export function newMessage(threadId: string, message: AppendMessage): NewMessage {
  const { role, content, attachments = [], metadata, runConfig, startRun } = message;
  if (role !== "user") throw new TypeError(`A message with the role "${role}" cannot be sent; only the user's can.`);
  if (Object.keys(runConfig?.custom ?? {}).length > 0) {
    throw new TypeError("`runConfig` cannot be sent to a thread; its agent and prompt configure a run.");
  }
  const texts: InputPart[] = [];
  const files: InputPart[] = [];
  const others: Attachment[] = [];
  const attached = attachments.flatMap(({ content: parts, contentType }) =>
    parts.map((part) => ({ part, contentType })),
  );
  for (const { part, contentType } of [...attached, ...content.map((part) => ({ part, contentType: undefined }))]) {
    if (part.type === "text") {
      if (part.text !== "") texts.push({ type: "text", text: part.text });
    } else if (part.type === "image" || part.type === "file") {
      const file = fileInput(threadId, part, contentType);
      if ("type" in file) files.push(file);
      else others.push(file);
    } else throw new TypeError(`A part of the type "${part.type}" cannot be sent; text, image and file can.`);
  }
  return {
    content: files.length + texts.length === 0 ? "" : [...files, ...texts],
    ...(others.length === 0 ? {} : { attachments: others }),
    // The server refuses metadata that is not JSON.
    ...(Object.keys(metadata.custom).length === 0 ? {} : { metadata: metadata.custom as JsonObject }),
    ...(startRun === undefined ? {} : { run: startRun }),
  };
}

/**
 * Converts a file part. A web address, or a file of the thread without a media type, becomes an attachment, because the server detects
 * the type of attachments.
 */
function fileInput(threadId: string, part: FileData, contentType: string | undefined): InputPart | Attachment {
  const address = part.type === "image" ? part.image : part.data;
  const name = part.filename ?? part.type;
  const path = pathOfAddress(threadId, address);
  const [, dataType, bytes] = /^data:([^;,]+)(?:;[^,]*)?;base64,(.*)$/s.exec(address) ?? [];
  const isWebAddress = /^https?:/.test(address);
  if (path === null && bytes === undefined && isWebAddress) return { url: address, name };
  if (path === null && bytes === undefined && part.type === "image") {
    throw new TypeError("An image cannot be sent without a file of the thread, base64 data or a web address.");
  }
  const source = path === null ? { data: bytes ?? address } : { path };
  const mime_type = part.type === "file" ? part.mimeType : (dataType ?? contentType);
  if (mime_type === undefined) return { path: path ?? "" };
  return { type: part.type, mime_type, name, ...source };
}
