// Large files in an R2 bucket. Keys are the thread's id and a random part, so no two writes share one.

import { ThreadholdError } from "#contract/error.ts";

import { inChunks } from "./byte-pieces.ts";
import { chunkBytes } from "./file-rows.ts";

/** What is used of a bucket. */
export type Bucket = Pick<R2Bucket, "get" | "delete" | "createMultipartUpload" | "list">;

/** Bytes of a part: the service wants all but the last of one size, and at least 5 MiB. */
const partBytes = 3 * chunkBytes;

/** Keys that a bucket takes in one call. */
const keysAtOnce = 1000;

/**
 * Stores what a source gives. Parts are gathered one at a time, so that a file is never whole in memory.
 * Resolves when the object is complete; a failing source leaves none.
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
    // One that cannot even be given up ends by itself: the service keeps unfinished uploads for seven days.
    await upload.abort().catch(() => undefined);
    throw thrown;
  }
}

/** The bytes of an object as a stream; null where the bucket does not have it. */
export async function readFromBucket(
  bucket: Bucket,
  key: string,
  range: { offset: number; length: number },
): Promise<ReadableStream<Uint8Array> | null> {
  const found = await answered(bucket.get(key, { range }));
  return found === null ? null : (found.body as ReadableStream<Uint8Array>);
}

/** Deletes objects; those that are not there do no harm. */
export async function deleteFromBucket(bucket: Bucket, keys: readonly string[]): Promise<void> {
  for (let at = 0; at < keys.length; at += keysAtOnce) {
    await answered(bucket.delete(keys.slice(at, at + keysAtOnce)));
  }
}

/** Deletes every object of a thread. */
export async function emptyBucket(bucket: Bucket, threadId: string): Promise<void> {
  for (;;) {
    const { objects, truncated } = await answered(bucket.list({ prefix: `${threadId}/`, limit: keysAtOnce }));
    const keys = objects.map(({ key }) => key);
    if (keys.length > 0) await deleteFromBucket(bucket, keys);
    if (!truncated) return;
  }
}

/** What a bucket answers; its failures become `unavailable`, with the cause for the log. */
async function answered<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (cause) {
    const message = "The bucket that holds large files cannot be reached. Try again later.";
    throw new ThreadholdError({ code: "unavailable", message }, { cause });
  }
}
