// Sizes of images that arrive as streams, and how many thumbnails are made at a time.

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import type { ImagePort } from "#core/ports/image-port.ts";
import type { Bucket } from "#store/files/file-bucket.ts";
import type { FileRows } from "#store/files/file-rows.ts";
import { imagesBinding, noImages } from "#store/images/images-binding.ts";

import { memoryFileRows } from "../../support/memory-store/memory-file-rows.ts";
import { realPng } from "../../support/real-png.ts";
import { bytesOf, chunk, pattern, same, stage, streamOf } from "./file-stage.ts";

const { FILES, IMAGES } = env as unknown as { FILES: R2Bucket; IMAGES: ImagesBinding };
const images = imagesBinding(IMAGES);

const imagePng = { mimeType: "image/png" };

/** A picture that does not compress well. */
function noisy(width: number, height: number): Promise<Uint8Array> {
  const noise = pattern(width * height);
  return realPng(width, height, (x, y) => noise[y * width + x] ?? 0);
}

test("A streamed image is measured wherever its bytes are stored", async () => {
  const small = await realPng(60, 30);
  const large = await noisy(1700, 1300);
  expect(large.byteLength).toBeGreaterThan(chunk);
  const inThread = stage(memoryFileRows(), { images }).files;
  expect(await inThread.write("row", streamOf(small), imagePng)).toMatchObject({ width: 60, height: 30 });
  expect(await inThread.write("chunks", streamOf(large), imagePng)).toMatchObject({ width: 1700, height: 1300 });
  expect(await inThread.stat("chunks")).toMatchObject({ width: 1700, height: 1300 });
  expect(same(await inThread.read("chunks"), large)).toBe(true);
  const bucket = { bucket: FILES, threshold: chunk, threadId: crypto.randomUUID() };
  const inBucket = stage(memoryFileRows(), { images, bucket }).files;
  expect(await inBucket.write("a", streamOf(large), imagePng)).toMatchObject({ storage: "r2", width: 1700 });
  const broken = await inThread.write("broken", streamOf(large.slice(100)), imagePng);
  expect([broken.size, broken.width]).toEqual([large.byteLength - 100, undefined]);
});

test("An image over 20 MB is not measured, and an image that cannot be read again after it was stored has no size", async () => {
  const requested: number[] = [];
  const counting: ImagePort = {
    ...noImages,
    size: async (image) => {
      const opened = typeof image === "function" ? await image().catch(() => null) : image;
      if (opened === null) return null;
      requested.push(opened instanceof ReadableStream ? (await bytesOf(opened)).byteLength : opened.byteLength);
      return { width: 1, height: 2 };
    },
  };
  const limit = 20 * 1024 * 1024;
  const { files } = stage(memoryFileRows(), { images: counting });
  expect(await files.write("most", streamOf(new Uint8Array(limit), [chunk]), imagePng)).toMatchObject({ height: 2 });
  expect(await files.write("more", streamOf(new Uint8Array(limit + 1), [chunk]), imagePng)).not.toHaveProperty("width");
  expect(requested).toEqual([limit]);

  const mute: Bucket = {
    get: () => Promise.reject(new Error("no answer")),
    delete: (keys) => FILES.delete(keys),
    list: (options) => FILES.list(options),
    createMultipartUpload: (key) => FILES.createMultipartUpload(key),
  };
  const bucket = { bucket: mute, threshold: chunk, threadId: crypto.randomUUID() };
  const distant = stage(memoryFileRows(), { images: counting, bucket }).files;
  const record = await distant.write("a", streamOf(new Uint8Array(2 * chunk), [chunk]), imagePng);
  expect([record.storage, record.size, record.width]).toEqual(["r2", 2 * chunk, undefined]);
});

test("Only the chunks of a stored image that the image service reads are loaded to measure the image", async () => {
  const rows = memoryFileRows();
  const loaded: number[] = [];
  const watched: FileRows = {
    ...rows,
    chunk(generation, number) {
      loaded.push(number);
      return rows.chunk(generation, number);
    },
  };
  /** Reads the first two chunks, in which an image may have its size. */
  const brief: ImagePort = {
    ...noImages,
    async size(image) {
      const opened = typeof image === "function" ? await image() : image;
      if (!(opened instanceof ReadableStream)) return null;
      const reader = opened.getReader();
      for (let count = 0; count < 2; count += 1) expect((await reader.read()).value?.byteLength).toBe(chunk);
      await reader.cancel();
      return { width: 1, height: 2 };
    },
  };
  const { files } = stage(watched, { images: brief });
  const image = streamOf(new Uint8Array(5 * chunk), [chunk]);
  expect(await files.write("image", image, imagePng)).toMatchObject({ size: 5 * chunk, width: 1, height: 2 });
  expect(loaded).toEqual([0, 1]);
});

test("A request that does not reach the image service is repeated once, and a refused one is not", async () => {
  const bytes = await realPng(60, 30);
  /** The image binding, whose first requests fail. */
  const failing = (errors: Error[]) => {
    const info: ImagesBinding["info"] = async (stream) => {
      const error = errors.shift();
      if (error !== undefined) throw error;
      return IMAGES.info(stream);
    };
    return imagesBinding({ info, input: (stream) => IMAGES.input(stream) } as ImagesBinding);
  };
  const lost = () => new Error("Network connection lost.");
  const refusal = Object.assign(new Error("unsupported image type"), { code: 9520 });
  const streams = () => Promise.resolve(streamOf(bytes));
  expect(await failing([lost()]).size(streams)).toEqual({ width: 60, height: 30 });
  expect(await failing([lost()]).size(bytes)).toEqual({ width: 60, height: 30 });
  expect(await failing([lost(), lost()]).size(streams)).toBeNull();
  expect(await failing([refusal]).size(streams)).toBeNull();
});

test("Thumbnails are made one at a time, and one that is requested twice is made once", async () => {
  let [now, most, made] = [0, 0, 0];
  const watching: ImagePort = {
    ...images,
    thumbnail: async (bytes, pixels) => {
      now += 1;
      made += 1;
      most = Math.max(most, now);
      const picture = await images.thumbnail(bytes, pixels);
      now -= 1;
      return picture;
    },
  };
  const { files } = stage(memoryFileRows(), { images: watching });
  const bytes = await realPng(600, 300);
  for (const path of ["a", "b", "c"]) await files.write(path, bytes, { ...imagePng, width: 600, height: 300 });
  const pictures = await Promise.all(["a", "b", "c", "a", "a", "c"].map((path) => files.thumbnail(path)));
  expect(pictures.every((picture) => picture !== null)).toBe(true);
  expect({ most, made }).toEqual({ most: 1, made: 3 });
});
