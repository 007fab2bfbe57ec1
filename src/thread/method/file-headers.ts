// The headers of responses with a file's bytes. They keep browsers from treating any stored file as a page of this origin: browsers do not
// guess types, download files that could run scripts in place of showing them, and run and load nothing in files that they show.

import type { OpenFile } from "#core/ports/thread-file-port.ts";
import { contentDisposition } from "#lib/content-disposition.ts";
import { quotedTag } from "#lib/entity-tag.ts";
import { isMediaType, isShownInline, unknownMediaType } from "#lib/media-type.ts";

const guards = {
  // Only the caller's own cache may store it, and revalidates it each time. Proxies must not compress it, because that would give a
  // different body the same tag.
  "cache-control": "private, no-cache, no-transform",
  "content-security-policy": "sandbox; default-src 'none'",
  "x-content-type-options": "nosniff",
};

/** The headers of a thumbnail. */
export const pictureHeaders = { ...guards, "content-type": "image/webp" };

/** One version of a file. */
export type Version = Pick<OpenFile, "record" | "etag">;

/** The headers that identify a version, for a response without bytes. */
export function versionHeaders({ record, etag }: Version): Record<string, string> {
  const changed = record.updatedAt === undefined ? {} : { "last-modified": httpDate(record.updatedAt) };
  return { ...guards, ...changed, etag: quotedTag(etag), "accept-ranges": "bytes" };
}

/** The headers for `length` bytes of a version. */
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
