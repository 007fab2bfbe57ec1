// Converts records to the JSON text of rows and back. SQLite refuses rows over 2 MiB with an error that names neither record nor
// limit, so the size is checked here before the write. Text of our own rows is not validated when it is read.

import { refuse } from "#contract/error.ts";
import { parseOwnJson } from "#lib/untrusted/own-json.ts";

/** Maximal UTF-8 bytes of a record. The difference to 2 MiB is for key columns and the row's overhead. */
export const maxBodyBytes = 1_900_000;

const encoder = new TextEncoder();

function utf8Bytes(text: string): number {
  // A UTF-16 unit has at most three bytes, so short texts need not be counted exactly.
  return text.length * 3 <= maxBodyBytes ? text.length : encoder.encode(text).byteLength;
}

/** Converts a record to row text. Throws `too_large` with the kind of the record. */
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

/** Converts row text of `encodeBody` back to the record. */
export function decodeBody<T extends object>(text: string): T {
  return parseOwnJson(text) as T;
}
