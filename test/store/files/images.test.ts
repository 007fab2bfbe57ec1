// Images with the platform's binding, here its local replacement: sizes, thumbnails, smaller versions. The replacement reads JPEG, PNG,
// WebP and GIF, writes all of them but GIF, cannot read the AVIF that it writes, and ignores the quality.

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import type { ImagePort } from "#core/ports/image-port.ts";
import { imagesBinding } from "#store/images/images-binding.ts";

import { memoryFileRows } from "../../support/memory-store/memory-file-rows.ts";
import { realPng } from "../../support/real-png.ts";
import { chunk, pattern, same, stage } from "./file-stage.ts";

const { IMAGES } = env as unknown as { IMAGES: ImagesBinding };
const images = imagesBinding(IMAGES);

const imagePng = { mimeType: "image/png" };

/** A picture that does not compress well. */
function noisy(width: number, height: number): Promise<Uint8Array> {
  const noise = pattern(width * height);
  return realPng(width, height, (x, y) => noise[y * width + x] ?? 0);
}

async function encoded(bytes: Uint8Array, format: "image/jpeg" | "image/webp" | "image/avif"): Promise<Uint8Array> {
  const answer = await IMAGES.input(new Blob([bytes.slice()]).stream()).output({ format });
  return new Uint8Array(await answer.response().arrayBuffer());
}

/** The image binding, which counts its calls. */
function counting(): ImagePort & { requested: string[] } {
  const requested: string[] = [];
  return {
    requested,
    size: (bytes) => {
      requested.push("size");
      return images.size(bytes);
    },
    thumbnail: (bytes, pixels) => {
      requested.push(`thumbnail ${pixels}`);
      return images.thumbnail(bytes, pixels);
    },
    shrink: (bytes, bounds) => images.shrink(bytes, bounds),
  };
}

test("An image is measured when it is written, in every supported format", async () => {
  const { files } = stage(memoryFileRows(), { images });
  const bytes = await realPng(60, 30);
  const gif = Uint8Array.from(atob("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"), (one) =>
    one.charCodeAt(0),
  );
  expect(await files.write("a.png", bytes, imagePng)).toMatchObject({ width: 60, height: 30 });
  for (const format of ["image/jpeg", "image/webp"] as const) {
    const record = await files.write("b", await encoded(bytes, format), { mimeType: format });
    expect(record).toMatchObject({ mimeType: format, width: 60, height: 30 });
  }
  expect(await files.write("c.gif", gif, { mimeType: "image/gif" })).toMatchObject({ width: 1, height: 1 });
  expect(await files.stat("a.png")).toMatchObject({ width: 60, height: 30 });
});

test("A declared image size is stored unchanged, and a file that is no image is not measured", async () => {
  const port = counting();
  const { files } = stage(memoryFileRows(), { images: port });
  const bytes = await realPng(60, 30);
  expect(await files.write("a", bytes, { ...imagePng, width: 1, height: 2 })).toMatchObject({ width: 1, height: 2 });
  expect(await files.write("a", bytes, { mimeType: "application/octet-stream" })).not.toHaveProperty("width");
  expect(await files.write("a", "<svg/>", { mimeType: "image/svg+xml" })).not.toHaveProperty("width");
  expect(port.requested).toEqual([]);
  expect(await files.write("a", bytes, { ...imagePng, width: 1 })).toMatchObject({ width: 1, height: 30 });
  for (const broken of [
    bytes.slice(0, 20),
    new Uint8Array(),
    new TextEncoder().encode("<svg/>"),
    new Uint8Array(1000),
  ]) {
    const record = await files.write("broken", broken, imagePng);
    expect([record.size, record.width, record.height]).toEqual([broken.byteLength, undefined, undefined]);
  }
});

test("A thumbnail is made once, stored, and made again after a write", async () => {
  const port = counting();
  const { files } = stage(memoryFileRows(), { images: port });
  await files.write("a.png", await realPng(600, 300), { ...imagePng, width: 600, height: 300 });
  const first = await files.thumbnail("a.png");
  expect(await images.size(first ?? new Uint8Array())).toEqual({ width: 256, height: 128 });
  expect(new TextDecoder().decode(first?.subarray(8, 12))).toBe("WEBP");
  expect(same(await files.thumbnail("/a.png"), first ?? new Uint8Array())).toBe(true);
  expect(port.requested).toEqual(["thumbnail 256"]);
  await files.write("a.png", await realPng(30, 900), { ...imagePng, width: 30, height: 900 });
  expect(await images.size((await files.thumbnail("a.png")) ?? new Uint8Array())).toEqual({ width: 9, height: 256 });
  await files.thumbnail("a.png");
  expect(port.requested).toEqual(["thumbnail 256", "thumbnail 256"]);
  await files.write("small.png", await realPng(10, 20), { ...imagePng, width: 10, height: 20 });
  expect(await images.size((await files.thumbnail("small.png")) ?? new Uint8Array())).toEqual({
    width: 10,
    height: 20,
  });
});

test("A thumbnail of a file that was replaced meanwhile is not stored", async () => {
  const gate = Promise.withResolvers<void>();
  const port: ImagePort = {
    ...images,
    thumbnail: async (bytes, pixels) => {
      const made = await images.thumbnail(bytes, pixels);
      await gate.promise;
      return made;
    },
  };
  const { files } = stage(memoryFileRows(), { images: port });
  await files.write("a.png", await realPng(600, 300), imagePng);
  const requested = files.thumbnail("a.png");
  await files.write("a.png", await realPng(300, 600), imagePng);
  gate.resolve();
  expect(await images.size((await requested) ?? new Uint8Array())).toEqual({ width: 128, height: 256 });
  expect(await images.size((await files.thumbnail("a.png")) ?? new Uint8Array())).toEqual({ width: 128, height: 256 });
});

test("An image that is stored in several chunks has a thumbnail", async () => {
  const { files } = stage(memoryFileRows(), { images });
  const bytes = await noisy(1700, 1300);
  expect(bytes.byteLength).toBeGreaterThan(chunk);
  await files.write("a.png", new Blob([bytes.slice()]).stream(), imagePng);
  expect(await images.size((await files.thumbnail("a.png")) ?? new Uint8Array())).toEqual({ width: 256, height: 196 });
});

test("Broken images, SVG images and files of other types have no thumbnail, and no file has one without an Images binding", async () => {
  const { files } = stage(memoryFileRows(), { images });
  const bytes = await realPng(60, 30);
  await files.write("text", bytes, { mimeType: "text/plain" });
  await files.write("broken", bytes.slice(0, 60), imagePng);
  await files.write("empty", new Uint8Array(), imagePng);
  await files.write("svg", '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>', {
    mimeType: "image/svg+xml",
  });
  for (const path of ["text", "broken", "empty", "svg"])
    expect([path, await files.thumbnail(path)]).toEqual([path, null]);
  const without = stage(memoryFileRows()).files;
  expect(await without.write("a.png", bytes, imagePng)).not.toHaveProperty("width");
  expect(await without.thumbnail("a.png")).toBeNull();
});

test("An image is shrunk until it is within the limits of pixels and bytes, and the result is null if that is impossible", async () => {
  const bytes = await noisy(900, 600);
  const loose = await images.shrink(bytes, { pixels: 2000, limit: 10_000_000 });
  expect(loose).toMatchObject({ width: 900, height: 600, mimeType: "image/webp" });
  const limit = Math.floor((loose?.bytes.byteLength ?? 0) / 2);
  const tight = await images.shrink(bytes, { pixels: 2000, limit });
  expect(tight?.bytes.byteLength).toBeLessThanOrEqual(limit);
  expect(await images.size(tight?.bytes ?? new Uint8Array())).toEqual({ width: tight?.width, height: tight?.height });
  expect(await images.shrink(bytes, { pixels: 300, limit: 10_000_000 })).toMatchObject({ width: 300, height: 200 });
  expect(await images.shrink(bytes, { pixels: 900, limit: 100 })).toBeNull();
  expect(await images.shrink(new Uint8Array(5), { pixels: 900, limit: 100 })).toBeNull();
});
