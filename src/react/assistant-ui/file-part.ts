// Files of a thread as parts of assistant-ui. The data of a part is the file's address in the API, which needs the client's credentials:
// `client.fetch(address)` reads the file.

import type { CompleteAttachment, FileMessagePart, ImageMessagePart } from "@assistant-ui/react";

import type { Message } from "#client/index.ts";

type StoredFile = Extract<Message["parts"][number], { type: "image" | "file" }>;

/** The address of a file of a thread. */
export function fileAddress(threadId: string, path: string): string {
  const segments = path.replace(/^\//, "").split("/");
  return `/api/threads/${encodeURIComponent(threadId)}/files/${segments.map(encodeURIComponent).join("/")}`;
}

/** The path of the file that an address of a thread leads to; null for any other address. */
export function pathOfAddress(threadId: string, address: string): string | null {
  const root = fileAddress(threadId, "");
  return address.startsWith(root)
    ? `/${address.slice(root.length).split("/").map(decodeURIComponent).join("/")}`
    : null;
}

/** A file of a message as a part; null if the message has neither the file's bytes nor its address. */
export function filePart(threadId: string, file: StoredFile): ImageMessagePart | FileMessagePart | null {
  const { type, path, data, url, mime_type: mimeType, name } = file;
  const bytes = data === undefined ? url : `data:${mimeType};base64,${data}`;
  const address = path === undefined ? bytes : fileAddress(threadId, path);
  if (address === undefined) return null;
  const filename = name ?? path?.split("/").at(-1);
  const named = filename === undefined ? {} : { filename };
  if (type === "image") return { type: "image", image: address, ...named };
  return { type: "file", data: address, mimeType, sourceType: "url", ...named };
}

/** A user's file as a list of one attachment, the form in which assistant-ui shows it; empty if the file has no content. */
export function attachmentOf(threadId: string, file: StoredFile): CompleteAttachment[] {
  const part = filePart(threadId, file);
  if (part === null) return [];
  const id = file.path ?? file.url ?? "";
  const name = part.filename ?? id;
  const status = { type: "complete" } as const;
  return [{ id, type: file.type, name, contentType: file.mime_type, status, content: [part] }];
}
