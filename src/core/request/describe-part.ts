// Describes parts by text, which a model receives in their place: an image or a file whose bytes are not sent, and a call that a provider executed.

import type { FilePart, ImagePart, ProviderToolPart } from "#contract/content.ts";
import { cutText } from "#lib/cut-text.ts";
import { textOrJson } from "#lib/json-value.ts";

/** Returns the line: name, type, size, and path or URL, as far as they are known, and the reason (decisions 16 and 19: attachments). */
export function describePart(part: ImagePart | FilePart, reason?: string): string {
  const location = part.path ?? part.url;
  const name = part.name ?? location?.split("/").at(-1);
  const size = part.size === undefined ? undefined : byteSize(part.size);
  const details = [name, part.mime_type, size, location].filter((detail) => detail !== undefined && detail !== "");
  return `[${part.type}: ${details.join(", ")}${reason === undefined ? "" : `; ${reason}`}]`;
}

/** The most bytes of the input and of the result of a provider's tool in the text for a model. */
const mostOfTool = { input: 1000, output: 4000 };

/** The text for a model of a call that another provider executed, or whose answer was interrupted. */
export function providerToolText({ name, input, output, is_error }: ProviderToolPart): string {
  const call = `[${name}, executed by the provider, with ${cutText(JSON.stringify(input), mostOfTool.input)}]`;
  if (output === undefined) return `${call}\n[no result]`;
  return `${call}\n[${is_error === true ? "error" : "result"}] ${cutText(textOrJson(output), mostOfTool.output)}`;
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
