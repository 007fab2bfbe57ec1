// Measures values and cuts text in bytes of JSON, the form in which rows store them.

import { utf8Length } from "./utf8-length.ts";

/** Bytes that are reserved for the notice at the end of a cut text. */
const noticeBytes = 200;

/** Bytes of a value's JSON. A value without JSON, such as undefined, has none. Throws for a circular value and for a bigint. */
export function jsonBytes(value: unknown): number {
  const json = JSON.stringify(value) as string | undefined;
  return json === undefined ? 0 : utf8Length(json);
}

/**
 * An upper bound of the bytes of a value's JSON. The value is JSON as `JSON.parse` returns it, without sparse lists and `toJSON`; fields
 * may be undefined.
 */
export function mostJsonBytes(value: unknown): number {
  // A control character has six bytes (`\u0000`), and no number is longer than 25 characters.
  if (typeof value === "string") return 6 * value.length + 3;
  if (typeof value !== "object" || value === null) return 25;
  let most = 2;
  for (const [key, item] of Object.entries(value)) most += 6 * key.length + 4 + mostJsonBytes(item);
  return most;
}

/**
 * Cuts a text to at most `limit` bytes of JSON and adds a notice. A text that fits is not cut. Lone surrogates are replaced. The result is
 * empty if `limit` leaves no space for text before the notice.
 */
export function cutText(text: string, limit: number): string {
  // Every character has at least one byte, so a longer text does not fit.
  if (text.length <= limit && jsonBytes(text) <= limit) return text.toWellFormed();
  const textBytes = Math.max(0, limit - noticeBytes);
  let kept = text.slice(0, textBytes);
  for (let bytes = jsonBytes(kept); kept !== "" && bytes > textBytes; bytes = jsonBytes(kept)) {
    kept = kept.slice(0, Math.floor((kept.length * textBytes) / bytes));
  }
  if (kept === "") return "";
  return `${kept.toWellFormed()}\n[cut: ${text.length - kept.length} of ${text.length} characters left out]`;
}

/** The message of a thrown value, also if it is not an error. */
export function errorMessage(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message || thrown.name) : String(thrown);
  } catch {
    return "a value that cannot be converted to text";
  }
}
