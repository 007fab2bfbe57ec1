// Serves reads of a path: the bytes of a file or a range of them, the entries of a folder, the record of either, or the thumbnail of an
// image. A response contains one version of a file, never parts of two.

import { refuse } from "#contract/error.ts";
import type { ReadFile } from "#contract/file.ts";
import type { OpenFile, ExistingEntry, ThreadFiles } from "#core/ports/thread-file-port.ts";
import { contentRange, readByteRange } from "#lib/byte-range.ts";
import type { RangeOutcome } from "#lib/byte-range.ts";
import { contentDisposition } from "#lib/content-disposition.ts";
import { quotedTag } from "#lib/entity-tag.ts";
import { isMediaType, isShownInline, unknownMediaType } from "#lib/media-type.ts";

import { checkMatch, isKnown, rangeHolds } from "./file-condition.ts";
import { fileJson, noFile } from "./file-json.ts";

/** The query of a read. */
export interface ReadQuery extends ReadFile {
  path: string;
}

/** Attempts to open the version whose conditions were checked. */
const openLimit = 3;

/** Returns the response to a read. Throws a `ThreadholdError` to refuse it. */
export async function readFile(files: ThreadFiles, { method, headers }: Request, query: ReadQuery): Promise<Response> {
  const { path, stat, thumbnail } = query;
  if (thumbnail === true) return sendPicture(files, path);
  for (let attempt = 0; attempt < openLimit; attempt++) {
    const existing = await files.entry(path);
    if (existing === null) throw noFile(path);
    if (stat === true) return fileJson(existing.record);
    if (existing.record.isDirectory) return fileJson({ entries: await files.list(path) });
    const version = ownVersion(existing);
    checkMatch(headers, version);
    if (isKnown(headers, version.etag)) return new Response(null, { status: 304, headers: versionHeaders(version) });
    if (method === "HEAD") return new Response(null, { headers: bytesHeaders(version, version.record.size) });
    const range = rangeOf(headers, version);
    const file = await files.open(path, range ?? undefined);
    if (file?.etag === version.etag) return sendBytes(file, range);
    await file?.body.cancel();
  }
  throw refuse("conflict", `"${path}" is written faster than it can be read.`);
}

async function sendPicture(files: ThreadFiles, path: string): Promise<Response> {
  const picture = await files.thumbnail(path);
  if (picture === null) throw refuse("file_not_found", `There is no picture of "${path}".`);
  return new Response(picture, { headers: pictureHeaders });
}

function ownVersion({ record, etag }: ExistingEntry): Version {
  if (etag === null) throw refuse("file_not_found", `The bytes of ${record.path} are not kept in this thread.`);
  return { record, etag };
}

/** The range to send; null for the whole file. */
function rangeOf(headers: Headers, { record: { size }, etag }: Version): Part | null {
  const range = readByteRange(rangeHolds(headers, etag) ? headers.get("range") : null, size);
  if (range.kind !== "outside") return range.kind === "part" ? range : null;
  throw refuse("range_not_satisfiable", `The file has ${String(size)} bytes.`, { size });
}

function sendBytes(file: OpenFile, range: Part | null): Response {
  const { size } = file.record;
  if (range === null) return new Response(file.body, { headers: bytesHeaders(file, size) });
  const headers = { ...bytesHeaders(file, range.length), "content-range": contentRange(range, size) };
  return new Response(file.body, { status: 206, headers });
}

type Part = Extract<RangeOutcome, { kind: "part" }>;

/**
 * Keeps browsers from treating a stored file as a page of this origin: they do not guess types, and a displayed file runs no scripts and
 * loads no resources.
 */
const guards = {
  // Only the caller's own cache may store the response, and the cache has to revalidate the response each time. Proxies must not compress
  // the response: compression would give a different body the same tag.
  "cache-control": "private, no-cache, no-transform",
  "content-security-policy": "sandbox; default-src 'none'",
  "x-content-type-options": "nosniff",
};

/** The headers of a thumbnail. */
const pictureHeaders = { ...guards, "content-type": "image/webp" };

/** One version of a file. */
type Version = Pick<OpenFile, "record" | "etag">;

/** The headers that identify a version, for a response without bytes. */
function versionHeaders({ record, etag }: Version): Record<string, string> {
  const changed = record.updatedAt === undefined ? {} : { "last-modified": httpDate(record.updatedAt) };
  return { ...guards, ...changed, etag: quotedTag(etag), "accept-ranges": "bytes" };
}

/** The headers for `length` bytes of a version. */
function bytesHeaders(version: Version, length: number): Record<string, string> {
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
