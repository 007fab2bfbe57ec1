// What the headers of a change to a file may say. Whatever would make the stored bytes something else than the caller meant is
// refused rather than passed over.

import { refuse } from "#contract/error.ts";
import { readTagCondition } from "#lib/entity-tag.ts";
import { isMediaType } from "#lib/media-type.ts";

import { invalidField } from "./field-error.ts";

/** Throws `invalid_request` or `unsupported_media_type` for an upload that is not the plain bytes of a whole file. */
export function checkUpload(headers: Headers): void {
  const type = headers.get("content-type");
  if (type !== null && !isMediaType(type)) throw invalidField("Content-Type", "Not a media type such as text/plain");
  const encoding = headers.get("content-encoding") ?? "identity";
  if (encoding.trim().toLowerCase() !== "identity") {
    throw refuse("unsupported_media_type", "Send the bytes as they are to be stored, without a Content-Encoding.");
  }
  if (headers.has("content-range")) throw invalidField("Content-Range", "A file is written as a whole");
}

/** Throws `invalid_request` for a condition that a change is not held to. */
export function checkConditions(headers: Headers): void {
  for (const name of ["If-Unmodified-Since", "If-Modified-Since"]) {
    if (headers.has(name)) throw invalidField(name, "A second is too coarse; use If-Match or If-None-Match");
  }
  for (const name of ["If-Match", "If-None-Match"]) {
    const value = headers.get(name);
    // An empty one could be lost on the way to the object, and the change would go on without its condition.
    if (value !== null && readTagCondition(value) === null) throw invalidField(name, "Has to be * or tags in quotes");
  }
}
