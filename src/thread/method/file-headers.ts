// The headers a file's bytes go out with. Whatever was stored, no browser may take it for a page of this origin: types are
// not guessed, what can run is saved and not shown, and the policy lets nothing run or load in what is.

import type { OpenFile } from "#core/ports/thread-file-port.ts";
import { contentDisposition } from "#lib/content-disposition.ts";
import { quotedTag } from "#lib/entity-tag.ts";
import { isMediaType, isShownInline, unknownMediaType } from "#lib/media-type.ts";

const guards = {
  // Kept by the caller's own cache alone and asked for again each time; nobody on the way may compress it, which would
  // make another body of the same tag.
  "cache-control": "private, no-cache, no-transform",
  "content-security-policy": "sandbox; default-src 'none'",
  "x-content-type-options": "nosniff",
};

/** The headers of a small picture. */
export const pictureHeaders = { ...guards, "content-type": "image/webp" };

/** One version of a file. */
export type Version = Pick<OpenFile, "record" | "etag">;

/** The headers that say which version this is, and no more: nothing is sent. */
export function versionHeaders({ record, etag }: Version): Record<string, string> {
  const changed = record.updatedAt === undefined ? {} : { "last-modified": httpDate(record.updatedAt) };
  return { ...guards, ...changed, etag: quotedTag(etag), "accept-ranges": "bytes" };
}

/** The headers of `length` bytes of it. */
export function bytesHeaders(version: Version, length: number): Record<string, string> {
  const { mimeType, name } = version.record;
  const type = isMediaType(mimeType) ? mimeType : unknownMediaType;
  return {
    ...versionHeaders(version),
    "content-type": type,
    "content-length": String(length),
    "content-disposition": contentDisposition(isShownInline(type) ? "inline" : "attachment", name),
  };
}

function httpDate(micros: number): string {
  return new Date(micros / 1000).toUTCString();
}
