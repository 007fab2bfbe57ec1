// Records as the JSON text that rows hold. SQLite takes at most 2 MiB in a row, and its own refusal names neither the
// record nor the limit, so the size is checked here, before anything is written. Our own rows are trusted when read.

import { refuse } from "#contract/error.ts";

/** Bytes of UTF-8 that a record may take; the rest up to 2 MiB is for its key columns and the row's own overhead. */
export const maxBodyBytes = 1_900_000;

const encoder = new TextEncoder();

function utf8Bytes(text: string): number {
  // A UTF-16 unit takes at most three bytes, so short texts need no counting.
  return text.length * 3 <= maxBodyBytes ? text.length : encoder.encode(text).byteLength;
}

/** A record as row text; throws `too_large` with the record's kind. */
export function encodeBody(kind: string, record: object): string {
  const text = JSON.stringify(record);
  const bytes = utf8Bytes(text);
  if (bytes <= maxBodyBytes) return text;
  throw refuse(
    "too_large",
    `A ${kind} of ${bytes} bytes does not fit into a row: the limit is ${maxBodyBytes} bytes.`,
    {
      kind,
      bytes,
      limit: maxBodyBytes,
    },
  );
}

/** The record of a row text that `encodeBody` made. */
export function decodeBody<T extends object>(text: string): T {
  return JSON.parse(text) as T;
}
