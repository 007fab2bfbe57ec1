// What stands for an image or a file where its bytes are not sent: one line of text, so that a model at least knows of it.

import type { FilePart, ImagePart } from "#contract/content.ts";
import { byteSize } from "#lib/byte-size.ts";

/** A line with name, type, size and place, as far as they are known, and why it stands there (decisions 16, 19). */
export function describePart(part: ImagePart | FilePart, reason?: string): string {
  const place = part.path ?? part.url;
  const name = part.name ?? place?.split("/").at(-1);
  const size = part.size === undefined ? undefined : byteSize(part.size);
  const details = [name, part.mime_type, size, place].filter((detail) => detail !== undefined && detail !== "");
  return `[${part.type}: ${details.join(", ")}${reason === undefined ? "" : `; ${reason}`}]`;
}
