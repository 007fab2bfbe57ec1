// Checks the headers of a file's upload or change. A header that would change the meaning of the request is refused instead of
// ignored.

import { refuse } from "#contract/error.ts";
import { readTagCondition } from "#lib/entity-tag.ts";
import { isMediaType } from "#lib/media-type.ts";

import { invalidField } from "./field-error.ts";

/** Throws `invalid_request` or `unsupported_media_type` unless the body is the unencoded bytes of a whole file. */
export function checkUpload(headers: Headers): void {
  const type = headers.get("content-type");
  if (type !== null && !isMediaType(type)) throw invalidField("Content-Type", "Not a media type such as text/plain");
  const encoding = headers.get("content-encoding") ?? "identity";
  if (encoding.trim().toLowerCase() !== "identity") {
    throw refuse("unsupported_media_type", "Send the bytes as they are to be stored, without a Content-Encoding.");
  }
  if (headers.has("content-range")) throw invalidField("Content-Range", "A file is written as a whole");
}

/** Throws `invalid_request` for a condition that cannot be checked. */
export function checkConditions(headers: Headers): void {
  for (const name of ["If-Unmodified-Since", "If-Modified-Since"]) {
    if (headers.has(name)) throw invalidField(name, "A second is too coarse; use If-Match or If-None-Match");
  }
  for (const name of ["If-Match", "If-None-Match"]) {
    const value = headers.get(name);
    // An empty header may be dropped on the way to the object; the change would then be made without its condition.
    if (value !== null && readTagCondition(value) === null) throw invalidField(name, "Has to be * or tags in quotes");
  }
}
