// Describes an image or a file by a line of text, which a model receives if the bytes are not sent.

import type { FilePart, ImagePart } from "#contract/content.ts";

/** Returns the line: name, type, size, and path or URL, as far as they are known, and the reason (decisions 16 and 19: attachments). */
export function describePart(part: ImagePart | FilePart, reason?: string): string {
  const location = part.path ?? part.url;
  const name = part.name ?? location?.split("/").at(-1);
  const size = part.size === undefined ? undefined : byteSize(part.size);
  const details = [name, part.mime_type, size, location].filter((detail) => detail !== undefined && detail !== "");
  return `[${part.type}: ${details.join(", ")}${reason === undefined ? "" : `; ${reason}`}]`;
}

/** A size for people: `999 bytes`, `1.5 KB`, `20 MB`: in powers of a thousand, with at most three digits. */
function byteSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const units = ["KB", "MB", "GB"];
  let size = bytes / 1000;
  let unit = 0;
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${size < 99.95 ? Number(size.toFixed(1)) : Math.round(size)} ${units[unit] ?? ""}`;
}
