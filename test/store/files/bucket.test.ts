// Large files in a bucket: the local one of the test pool, and one that fails on request.

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { emptyBucket } from "#store/files/file-bucket.ts";
import type { Bucket } from "#store/files/file-bucket.ts";
import type { FileRows } from "#store/files/file-rows.ts";
import type { ManagedThreadFiles } from "#store/files/file-system.ts";
import { imagesBinding } from "#store/images/images-binding.ts";

import { memoryFileRows } from "../../support/memory-store/memory-file-rows.ts";
import { realPng } from "../../support/real-png.ts";
import { bytesOf, chunk, codeOf, pattern, plain, same, stage, streamOf } from "./file-stage.ts";

const { FILES, IMAGES } = env as unknown as { FILES: R2Bucket; IMAGES: ImagesBinding };

const threshold = 2 * chunk + 1000;

/** Keys of a thread in the bucket. */
async function keysOf(threadId: string): Promise<string[]> {
  return (await FILES.list({ prefix: `${threadId}/` })).objects.map(({ key }) => key);
}

interface BucketStage {
  rows: FileRows;
  files: ManagedThreadFiles;
  threadId: string;
  keys: () => Promise<string[]>;
  calls: () => number;
}

function bucketStage(
  bucket: Bucket = FILES,
  rows = memoryFileRows(),
  threadId: string = crypto.randomUUID(),
): BucketStage {
  const { files, calls } = stage(rows, { bucket: { bucket, threshold, threadId }, images: imagesBinding(IMAGES) });
  return { rows, files, threadId, keys: () => keysOf(threadId), calls };
}

/** The real bucket, whose methods fail while their name is in `broken`. It counts how uploads end. */
function fragile() {
  const broken = new Set<string>();
  const uploads = { begun: 0, completed: 0, aborted: 0 };
  const guarded = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    if (broken.has(name)) throw new Error(`${name} broke`);
    return work();
  };
  const bucket: Bucket = {
    get: ((key: string, options: R2GetOptions) => guarded("get", () => FILES.get(key, options))) as Bucket["get"],
    delete: (keys) => guarded("delete", () => FILES.delete(keys)),
    list: (options) => guarded("list", () => FILES.list(options)),
    createMultipartUpload: (key) =>
      guarded("create", async () => {
        const upload = await FILES.createMultipartUpload(key);
        uploads.begun += 1;
        return {
          key: upload.key,
          uploadId: upload.uploadId,
          uploadPart: (number, bytes) => guarded("part", () => upload.uploadPart(number, bytes)),
          complete: (parts) =>
            guarded("complete", async () => {
              const done = await upload.complete(parts);
              uploads.completed += 1;
              return done;
            }),
          abort: () =>
            guarded("abort", async () => {
              await upload.abort();
              uploads.aborted += 1;
            }),
        };
      }),
  };
  return { bucket, broken, uploads };
}

test("A file of at least the threshold's size is stored in the bucket, and can be read at once, by range and by chunks", async () => {
  const { files, rows, threadId, keys } = bucketStage();
  for (const size of [threshold, 3 * chunk, 7 * chunk + 13]) {
    const bytes = pattern(size, size);
    const record = await files.write("big", streamOf(bytes, [70_001, 1_000_000]), plain);
    expect(record).toMatchObject({ storage: "r2", size });
    expect(await files.stat("big")).toEqual(record);
    expect(same(await files.read("big"), bytes)).toBe(true);
    const ranges = [{ offset: 0 }, { offset: 5, length: 10 }, { offset: chunk - 5, length: 10 }, { offset: size - 3 }];
    for (const range of [...ranges, { offset: size }, { offset: size + 10, length: 5 }, { offset: 4, length: 0 }]) {
      const part = await bytesOf((await files.open("big", range))?.body ?? new ReadableStream());
      const end = range.length === undefined ? undefined : range.offset + range.length;
      expect([range, same(part, bytes.subarray(range.offset, end))]).toEqual([range, true]);
    }
    const received = [];
    for await (const { data, ...one } of (await files.chunks("big")) ?? []) {
      expect(same(data, bytes.subarray(one.index * chunk, (one.index + 1) * chunk))).toBe(true);
      received.push(one);
    }
    const totalChunks = Math.ceil(size / chunk);
    expect(received).toEqual(received.map((_, index) => ({ index, totalChunks, isLast: index === totalChunks - 1 })));
    expect(received).toHaveLength(totalChunks);
    expect(rows.chunk(1, 0)).toBeNull();
  }
  await files.sweep();
  expect(await keys()).toHaveLength(1);
  expect((await keys())[0]).toMatch(new RegExp(`^${threadId}/[0-9a-f-]{36}$`));
  await emptyBucket(FILES, threadId);
});

test("A moved file in the bucket keeps its object, and a deleted folder leaves none", async () => {
  const { files, keys, calls } = bucketStage();
  const bytes = pattern(threshold);
  await files.write("a/big", bytes, plain);
  const before = await keys();
  const garbage = calls();
  await files.move("a", "b/c");
  expect(calls()).toBe(garbage);
  expect(await keys()).toEqual(before);
  expect(same(await files.read("b/c/big"), bytes)).toBe(true);
  await files.edit([
    { type: "move", from: "b/c/big", path: "d/big" },
    { type: "remove", path: "d" },
  ]);
  expect(calls()).toBe(garbage + 1);
  expect(await files.sweep()).toBe(true);
  expect(await keys()).toEqual([]);
});

test("A failed batch leaves no object in the bucket", async () => {
  const { files, keys } = bucketStage();
  const large = { type: "write", path: "big", body: pattern(threshold), facts: plain } as const;
  expect(await codeOf(files.edit([large, { type: "remove", path: "none" }]))).toBe("file_not_found");
  expect(await files.sweep()).toBe(true);
  expect(await keys()).toEqual([]);
});

test("A file in the bucket is searched and has a thumbnail", async () => {
  const { files, threadId } = bucketStage();
  await files.write("text", `${"x\n".repeat(chunk)}${"y".repeat(2000)}needle\n`, plain);
  expect(await files.stat("text")).toMatchObject({ storage: "r2" });
  expect((await files.grep("needle$")).results[0]?.matches[0]?.line).toBe(chunk + 1);
  const noise = pattern(2500 * 1800);
  const image = await realPng(2500, 1800, (x, y) => noise[y * 2500 + x] ?? 0);
  expect(await files.write("a.png", image, { mimeType: "image/png" })).toMatchObject({ storage: "r2", width: 2500 });
  expect((await files.thumbnail("a.png"))?.byteLength).toBeGreaterThan(100);
  await emptyBucket(FILES, threadId);
});

test("A file under the threshold stays in the thread, and so does every file if there is no bucket", async () => {
  const { files, keys } = bucketStage();
  for (const size of [0, chunk, chunk + 1, threshold - 1]) {
    const bytes = pattern(size);
    expect(await files.write("small", bytes, plain)).toMatchObject({ storage: "thread", size });
    expect(same(await files.read("small"), bytes)).toBe(true);
  }
  expect(await keys()).toEqual([]);
  const without = stage(memoryFileRows()).files;
  expect(await without.write("big", pattern(threshold), plain)).toMatchObject({ storage: "thread" });
});

test("The content of a replaced or removed file is deleted from the bucket by the next clean-up", async () => {
  const { files, rows, keys, calls } = bucketStage();
  const [first, second] = [pattern(threshold, 3), pattern(threshold, 5)];
  await files.write("a", first, plain);
  expect(calls()).toBe(1);
  await files.write("a", second, plain);
  expect(calls()).toBe(3);
  expect(await keys()).toHaveLength(2);
  expect(same(await files.read("a"), second)).toBe(true);
  expect(await files.sweep()).toBe(true);
  expect(await keys()).toHaveLength(1);
  expect(same(await files.read("a"), second)).toBe(true);
  await files.write("a", "small", plain);
  await files.write("b", first, plain);
  await files.link("b", "https://example.com", plain);
  await files.write("c", first, plain);
  await files.remove("c");
  expect(rows.garbage()).toHaveLength(3);
  expect(await files.sweep()).toBe(true);
  expect([await keys(), rows.garbage()]).toEqual([[], []]);
});

test("A new instance of a thread's object never overwrites files that an earlier instance stored in the bucket", async () => {
  const before = bucketStage();
  const [first, second] = [pattern(threshold, 3), pattern(threshold, 5)];
  await before.files.write("first", first, plain);
  // The same rows, in a new object without memory of the old one.
  const after = bucketStage(FILES, before.rows, before.threadId);
  await after.files.write("second", second, plain);
  expect(same(await after.files.read("first"), first)).toBe(true);
  expect(same(await after.files.read("second"), second)).toBe(true);
  await after.files.remove("first");
  await after.files.remove("second");
  expect(after.rows.garbage()).toHaveLength(2);
  await after.files.sweep();
  expect(await after.keys()).toEqual([]);
});

test("A read of a file in the bucket fails with conflict if the file is replaced meanwhile, and with unavailable if its object is gone", async () => {
  const { files, threadId } = bucketStage();
  await files.write("a", pattern(threshold), plain);
  const chunks = (await files.chunks("a"))?.[Symbol.asyncIterator]();
  await chunks?.next();
  await files.write("a", pattern(threshold, 9), plain);
  await files.sweep();
  expect(await codeOf(chunks?.next() ?? Promise.resolve())).toBe("conflict");
  await emptyBucket(FILES, threadId);
  // The row exists, and its bytes are gone.
  expect(await codeOf(files.read("a"))).toBe("unavailable");
});

for (const call of ["create", "part", "complete"]) {
  test(`A file write to the bucket leaves the file unchanged and stores no object if the upload's ${call} fails`, async () => {
    const { bucket, broken, uploads } = fragile();
    const { files, rows, keys } = bucketStage(bucket);
    await files.write("a", "old", plain);
    let cancelled = false;
    const source = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => controller.enqueue(pattern(300_000)),
        cancel() {
          cancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    broken.add(call);
    const body = call === "complete" ? pattern(threshold) : source;
    expect(await codeOf(files.write("a", body, plain))).toBe("unavailable");
    expect(cancelled).toBe(call !== "complete");
    expect(uploads.aborted).toBe(uploads.begun);
    expect(new TextDecoder().decode((await files.read("a")) ?? new Uint8Array())).toBe("old");
    expect(rows.garbage()).toHaveLength(1);
    broken.clear();
    expect(await files.sweep()).toBe(true);
    expect([rows.garbage(), await keys()]).toEqual([[], []]);
  });
}

test("A file write leaves no upload and no object in the bucket if its source fails", async () => {
  const { bucket, uploads } = fragile();
  const { files, keys, rows } = bucketStage(bucket);
  let left = 30;
  const failing = new ReadableStream<Uint8Array>({
    pull(controller) {
      left -= 1;
      if (left > 0) controller.enqueue(pattern(300_000));
      else controller.error(new Error("the source broke"));
    },
  });
  await expect(files.write("a", failing, plain)).rejects.toThrow("the source broke");
  expect(uploads).toEqual({ begun: 1, completed: 0, aborted: 1 });
  await files.sweep();
  expect([await keys(), rows.garbage(), await files.stat("a")]).toEqual([[], [], null]);
});

test("If the bucket fails to delete the object of a removed file, later clean-ups retry it, and chunks in the thread are deleted at once", async () => {
  const { bucket, broken } = fragile();
  const { files, rows, keys, threadId } = bucketStage(bucket);
  await files.write("a", pattern(threshold), plain);
  rows.addGarbage({ generation: 50, bucket_key: null });
  rows.putChunk(50, 0, new Uint8Array(3));
  broken.add("delete");
  await files.remove("a");
  expect(await codeOf(files.sweep())).toBe("unavailable");
  expect([rows.chunk(50, 0), rows.garbage().length, (await keys()).length]).toEqual([null, 1, 1]);
  // Without the binding the deletion waits, and no alarm is set for it.
  const unbound = stage(rows).files;
  expect(await unbound.sweep()).toBe(true);
  expect(rows.garbage()).toHaveLength(1);
  const later = bucketStage(FILES, rows, threadId);
  expect(await later.files.sweep()).toBe(true);
  expect([rows.garbage(), await keys()]).toEqual([[], []]);
});

test("The deletion of a thread removes its objects from the bucket and no others, refuses writes from its beginning, and can be repeated after a failure", async () => {
  const { bucket, broken } = fragile();
  const { files, keys, threadId } = bucketStage(bucket);
  const other = bucketStage();
  await other.files.write("kept", pattern(threshold), plain);
  for (const path of ["a", "b", "c"]) await files.write(path, pattern(threshold), plain);
  // An upload that is active while the thread is deleted.
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const late = codeOf(files.write("late", readable, plain));
  const writer = writable.getWriter();
  await writer.write(pattern(threshold));
  files.close();
  broken.add("list");
  expect(await codeOf(emptyBucket(bucket, threadId))).toBe("unavailable");
  expect(await keys()).toHaveLength(3);
  expect(await codeOf(files.write("later", "x", plain))).toBe("thread_not_found");
  broken.clear();
  await emptyBucket(bucket, threadId);
  await writer.close();
  expect(await late).toBe("thread_not_found");
  expect(await keys()).toEqual([]);
  expect(await other.keys()).toHaveLength(1);
  await emptyBucket(FILES, other.threadId);
});

test("A file in the bucket cannot be read if the bucket is missing; the error names the file, and the file can be removed", async () => {
  const { files, rows, threadId } = bucketStage();
  await files.write("a", pattern(threshold), plain);
  const unbound = stage(rows).files;
  expect(await unbound.stat("a")).toMatchObject({ storage: "r2" });
  const chunks = (await unbound.chunks("a"))?.[Symbol.asyncIterator]();
  for (const call of [unbound.read("a"), unbound.open("a"), unbound.grep("x"), chunks?.next() ?? Promise.resolve()]) {
    expect(await codeOf(call)).toBe("unavailable");
    await expect(call).rejects.toThrow("/a lies in a bucket that is not bound. Bind it as FILES again.");
  }
  await unbound.remove("a");
  expect(await unbound.sweep()).toBe(true);
  const later = bucketStage(FILES, rows, threadId);
  await later.files.sweep();
  expect(await later.keys()).toEqual([]);
});

test("A read of a file fails with unavailable if the bucket cannot be read", async () => {
  const { bucket, broken } = fragile();
  const { files, threadId } = bucketStage(bucket);
  await files.write("a", pattern(threshold), plain);
  broken.add("get");
  expect(await codeOf(files.read("a"))).toBe("unavailable");
  broken.clear();
  expect((await files.read("a"))?.byteLength).toBe(threshold);
  await emptyBucket(FILES, threadId);
});
