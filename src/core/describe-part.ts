// Describes an image or a file by a line of text, which a model receives if the bytes are not sent.

import type { FilePart, ImagePart } from "#contract/content.ts";
import { byteSize } from "#lib/byte-size.ts";

/** The line with the known ones of name, type, size and path or URL, and the reason (decisions 16 and 19: attachments). */
export function describePart(part: ImagePart | FilePart, reason?: string): string {
  const location = part.path ?? part.url;
  const name = part.name ?? location?.split("/").at(-1);
  const size = part.size === undefined ? undefined : byteSize(part.size);
  const details = [name, part.mime_type, size, location].filter((detail) => detail !== undefined && detail !== "");
  return `[${part.type}: ${details.join(", ")}${reason === undefined ? "" : `; ${reason}`}]`;
}
