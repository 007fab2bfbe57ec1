// Conversions between bytes and the texts that commands of the shell read and write. A text is UTF-8, or has one character for each byte.

import type { BufferEncoding } from "just-bash/browser";

/** The encoding of a text, in the form of the shell's interface. Default: UTF-8. */
export type Encoding = { encoding?: BufferEncoding | null } | BufferEncoding | undefined;

/** Whether a text has one character for each byte. */
export function isBinary(options: Encoding): boolean {
  const encoding = typeof options === "string" ? options : options?.encoding;
  return encoding === "binary" || encoding === "latin1" || encoding === "ascii";
}

/** Converts bytes to a text with one character for each byte. */
export function bytesToText(bytes: Uint8Array): string {
  let text = "";
  for (let start = 0; start < bytes.byteLength; start += 8192) {
    text += String.fromCharCode(...bytes.subarray(start, start + 8192));
  }
  return text;
}

/** Returns the bytes of a text, or a copy of bytes. */
export function toBytes(content: string | Uint8Array, options: Encoding): Uint8Array {
  if (typeof content !== "string") return content.slice();
  if (!isBinary(options)) return new TextEncoder().encode(content);
  return Uint8Array.from(content, (character) => character.charCodeAt(0));
}
