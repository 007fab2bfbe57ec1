// The attachments of a message, as the wire lists them: images and files among its parts, and what its tool result refers to.

import type { AttachmentRef } from "#contract/attachment.ts";
import type { FilePart, ImagePart } from "#contract/content.ts";

import type { MessageRecord } from "./record.ts";

/** In the order they stand in. Parts without a path are no files of the thread and are left out. */
export function attachmentsOf({ id, parts, result }: Pick<MessageRecord, "id" | "parts" | "result">): AttachmentRef[] {
  const own = parts.flatMap((part, at) =>
    (part.type === "image" || part.type === "file") && part.path !== undefined
      ? [refOf(part, part.path, part.id ?? `${id}.${at}`)]
      : [],
  );
  return [...own, ...(result?.attachments ?? [])];
}

function refOf(part: ImagePart | FilePart, path: string, id: string): AttachmentRef {
  const { name = path.split("/").at(-1) ?? path, mime_type: mimeType, size = 0, width, height } = part;
  return {
    id,
    type: "file",
    path,
    name,
    mimeType,
    size,
    ...(width === undefined ? {} : { width }),
    ...(height === undefined ? {} : { height }),
  };
}

/** A reference as the part of a message that a model is sent. */
export function partOf({ path, name, mimeType, size, width, height }: AttachmentRef): ImagePart | FilePart {
  return {
    type: mimeType.startsWith("image/") ? "image" : "file",
    mime_type: mimeType,
    path,
    name,
    size,
    ...(width === undefined ? {} : { width }),
    ...(height === undefined ? {} : { height }),
  };
}
