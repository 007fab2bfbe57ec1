// Checks the conditions of a request about a file (RFC 9110 §13). A write replaces only the version that its caller has read; a read sends
// no bytes that its caller already has. A failed condition is answered with `conflict` (409) and not with 412, because the API's set of
// error codes is fixed.

import { refuse } from "#contract/error.ts";
import { listsStrongly, listsWeakly, readTagCondition } from "#lib/entity-tag.ts";
import type { TagCondition } from "#lib/entity-tag.ts";

/** The tag of the current entry, against which conditions are checked; null if the path has no entry. A folder has no tag. */
export type Tagged = { etag: string | null } | null;

/** Throws `conflict` if `If-Match` or `If-None-Match` forbids a change, and `invalid_request` if one of them is malformed. */
export function checkWrite(headers: Headers, existing: Tagged): void {
  checkMatch(headers, existing);
  const unless = condition(headers, "If-None-Match");
  if (unless === null || existing === null) return;
  if (unless === "*") throw refuse("conflict", "If-None-Match: something is at this path already.");
  const { etag } = existing;
  if (etag !== null && listsWeakly(unless, etag)) throw refuse("conflict", "If-None-Match: the file has this tag.");
}

/** Throws `conflict` if `If-Match` requires another version than the current one. */
export function checkMatch(headers: Headers, existing: Tagged): void {
  const match = condition(headers, "If-Match");
  if (match === null) return;
  if (existing === null) throw refuse("conflict", "If-Match: nothing is at this path.");
  if (match === "*") return;
  const { etag } = existing;
  if (etag === null || !listsStrongly(match, etag)) {
    throw refuse("conflict", "If-Match: the file has changed; read it again and use its new ETag.");
  }
}

/** Whether the caller already has these bytes (`If-None-Match`). A malformed header is ignored: sending all bytes is always correct. */
export function isKnown(headers: Headers, etag: string): boolean {
  const header = headers.get("if-none-match");
  const known = header === null ? null : readTagCondition(header);
  return known === "*" || (known !== null && listsWeakly(known, etag));
}

/** Whether a range may be sent: without `If-Range`, or with this tag in it. A date is too coarse to distinguish two writes. */
export function rangeHolds(headers: Headers, etag: string): boolean {
  const header = headers.get("if-range");
  if (header === null) return true;
  const tags = readTagCondition(header);
  return tags !== null && tags !== "*" && listsStrongly(tags, etag);
}

function condition(headers: Headers, name: string): TagCondition | null {
  const header = headers.get(name);
  if (header === null) return null;
  const read = readTagCondition(header);
  if (read === null) throw refuse("invalid_request", `${name} has to be * or a list of tags in quotes.`);
  return read;
}
