// What stands in for an image or a file that a model cannot be sent: one line of text, so that it at least knows of it.

import type { FilePart, ImagePart } from "#contract/content.ts";

/** A line that names an image or a file, its type and, where it has one, its address (decision 19). */
export function describePart(part: ImagePart | FilePart): string {
  const place = part.path ?? part.url;
  const name = (part.type === "file" ? part.name : undefined) ?? place?.split("/").at(-1);
  const details = [name, part.mime_type, place].filter((detail) => detail !== undefined && detail !== "");
  return `[${part.type}: ${details.join(", ")}]`;
}
