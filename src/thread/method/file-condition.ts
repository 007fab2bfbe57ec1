// Holds a request to its conditions (RFC 9110 §13): a change goes on only over what its caller has seen, a read sends
// nothing the caller has. The closed set of codes has one for a state that forbids something, `conflict`, so that a failed
// condition is 409 and not 412.

import { refuse } from "#contract/error.ts";
import { listsStrongly, listsWeakly, readTagCondition } from "#lib/entity-tag.ts";
import type { TagCondition } from "#lib/entity-tag.ts";

/** What a condition is held against; null for nothing. A folder has no tag. */
export type Tagged = { etag: string | null } | null;

/** Throws `conflict` where `If-Match` or `If-None-Match` forbids a change, `invalid_request` where one is no condition. */
export function checkWrite(headers: Headers, standing: Tagged): void {
  checkMatch(headers, standing);
  const unless = condition(headers, "If-None-Match");
  if (unless === null || standing === null) return;
  if (unless === "*") throw refuse("conflict", "If-None-Match: something is at this path already.");
  const { etag } = standing;
  if (etag !== null && listsWeakly(unless, etag)) throw refuse("conflict", "If-None-Match: the file has this tag.");
}

/** Throws `conflict` where `If-Match` asks for something else than what is there. */
export function checkMatch(headers: Headers, standing: Tagged): void {
  const match = condition(headers, "If-Match");
  if (match === null) return;
  if (standing === null) throw refuse("conflict", "If-Match: nothing is at this path.");
  if (match === "*") return;
  const { etag } = standing;
  if (etag === null || !listsStrongly(match, etag)) {
    throw refuse("conflict", "If-Match: the file has changed; read it again and use its new ETag.");
  }
}

/** Whether the caller has these very bytes. A header that is none is passed over: the answer is whole, and true. */
export function isKnown(headers: Headers, etag: string): boolean {
  const header = headers.get("if-none-match");
  const known = header === null ? null : readTagCondition(header);
  return known === "*" || (known !== null && listsWeakly(known, etag));
}

/** Whether the range holds: without `If-Range`, or with this very tag. A date is too coarse to tell two writes apart. */
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
