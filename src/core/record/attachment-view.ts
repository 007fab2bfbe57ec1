// The attachments of a message on the wire: its images and files, and the attachments of its tool result.

import type { AttachmentRef } from "#contract/attachment.ts";
import type { FilePart, ImagePart } from "#contract/content.ts";

import type { MessageRecord } from "./record.ts";

/** The metadata of a file in a reference to it. */
type AttachedFile = Pick<AttachmentRef, "path" | "name" | "mimeType" | "size"> & {
  width?: number | undefined;
  height?: number | undefined;
};

/** Lists a message's attachments, in the order of its parts. Parts without a path are not files of the thread and are not listed. */
export function attachmentsOf({ id, parts, result }: Pick<MessageRecord, "id" | "parts" | "result">): AttachmentRef[] {
  const ofParts = parts.flatMap((part, at) =>
    "path" in part && part.path !== undefined ? [refOf(part, part.path, part.id ?? `${id}.${at}`)] : [],
  );
  return [...ofParts, ...(result?.attachments ?? [])];
}

function refOf(part: ImagePart | FilePart, path: string, id: string): AttachmentRef {
  const { name = path.split("/").at(-1) ?? path, mime_type: mimeType, size = 0, width, height } = part;
  return attachmentRef({ path, name, mimeType, size, width, height }, { id });
}

/** Creates the reference to a file of the thread. */
export function attachmentRef(
  { path, name, mimeType, size, width, height }: AttachedFile,
  { id, description }: { id: string; description?: string | undefined },
): AttachmentRef {
  return {
    id,
    type: "file",
    path,
    name,
    mimeType,
    size,
    ...(width === undefined ? {} : { width }),
    ...(height === undefined ? {} : { height }),
    ...(description === undefined ? {} : { description }),
  };
}

/** Converts a reference to a part of a model message. */
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
