// How large a message may be as it is stored: files are references in it by then.

import { refuse } from "#contract/error.ts";
import type { StoredPart } from "#core/record.ts";

/** Most UTF-8 bytes of a message (architecture §6). */
const messageLimit = 1024 * 1024;

/** Throws `too_large`. */
export function checkRoom(parts: readonly StoredPart[]): void {
  const bytes = new TextEncoder().encode(JSON.stringify(parts)).byteLength;
  if (bytes <= messageLimit) return;
  throw refuse("too_large", `The message has ${bytes} bytes; at most ${messageLimit} are taken.`, {
    field: "content",
    limit: messageLimit,
  });
}
