// Stores large files in an R2 bucket. A key is the thread's id and a random part, so no two writes use the same key.

import { ThreadholdError } from "#contract/error.ts";

import { inChunks } from "./byte-pieces.ts";
import { chunkBytes } from "./file-rows.ts";

/** The part of a bucket that is used. */
export type Bucket = Pick<R2Bucket, "get" | "delete" | "createMultipartUpload" | "list">;

/** Bytes of an uploaded part. R2 requires equal parts, except the last, of at least 5 MiB. */
const partBytes = 3 * chunkBytes;

/** Maximal keys of one call of the bucket. */
const keysAtOnce = 1000;

/**
 * Stores the bytes of a source. Parts are collected one at a time, so that a file is never whole in memory. Resolves when the object is
 * complete; if the source fails, no object remains.
 */
export async function storeInBucket(bucket: Bucket, key: string, source: AsyncIterable<Uint8Array>): Promise<void> {
  const upload = await answered(bucket.createMultipartUpload(key));
  try {
    const parts: R2UploadedPart[] = [];
    for await (const part of inChunks(source, partBytes)) {
      parts.push(await answered(upload.uploadPart(parts.length + 1, part)));
    }
    await answered(upload.complete(parts));
  } catch (thrown) {
    // If the upload cannot be aborted, R2 deletes it after seven days.
    await upload.abort().catch(() => undefined);
    throw thrown;
  }
}

/** The bytes of an object as a stream; null if the bucket does not have it. */
export async function readFromBucket(
  bucket: Bucket,
  key: string,
  range: { offset: number; length: number },
): Promise<ReadableStream<Uint8Array> | null> {
  const found = await answered(bucket.get(key, { range }));
  return found === null ? null : (found.body as ReadableStream<Uint8Array>);
}

/** Deletes objects. Missing objects are ignored. */
export async function deleteFromBucket(bucket: Bucket, keys: readonly string[]): Promise<void> {
  for (let at = 0; at < keys.length; at += keysAtOnce) {
    await answered(bucket.delete(keys.slice(at, at + keysAtOnce)));
  }
}

/** Deletes all objects of a thread. */
export async function emptyBucket(bucket: Bucket, threadId: string): Promise<void> {
  for (;;) {
    const { objects, truncated } = await answered(bucket.list({ prefix: `${threadId}/`, limit: keysAtOnce }));
    const keys = objects.map(({ key }) => key);
    if (keys.length > 0) await deleteFromBucket(bucket, keys);
    if (!truncated) return;
  }
}

/** Returns the result of a call of the bucket. A failure becomes `unavailable`, with the cause for the log. */
async function answered<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (cause) {
    const message = "The bucket that holds large files cannot be reached. Try again later.";
    throw new ThreadholdError({ code: "unavailable", message }, { cause });
  }
}
