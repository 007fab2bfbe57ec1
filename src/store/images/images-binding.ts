// Resizes images through Cloudflare's Images binding; local development has a substitute. Each transformation is billed, so callers
// store the results.

import type { ImagePort, ImageSize, MadeImage } from "#core/ports/image-port.ts";

/** Attempts until an image is small enough: factors of the maximal side, and qualities. */
const attempts = [
  { scale: 1, quality: 85 },
  { scale: 1, quality: 60 },
  { scale: 0.7, quality: 60 },
  { scale: 0.5, quality: 50 },
  { scale: 0.3, quality: 40 },
];

/** Without a binding, images are neither measured nor resized. */
export const noImages: ImagePort = {
  size: () => Promise.resolve(null),
  thumbnail: () => Promise.resolve(null),
  shrink: () => Promise.resolve(null),
};

/** Implements the port with a binding. */
export function imagesBinding(binding: ImagesBinding): ImagePort {
  async function made(
    bytes: Uint8Array,
    given: ImageSize,
    goal: { side: number; quality: number },
  ): Promise<MadeImage> {
    const { side, quality } = goal;
    // Only the longer side is given: with both, the substitute of local development pads the image to a square.
    const answer = await binding
      .input(streamOf(bytes))
      .transform({ ...(given.width < given.height ? { height: side } : { width: side }), fit: "scale-down" })
      .output({ format: "image/webp", quality });
    const out = new Uint8Array(await answer.response().arrayBuffer());
    const { width, height } = await sizeOf(binding, out);
    return { bytes: out, mimeType: "image/webp", width, height };
  }

  return {
    size: (image) => orNull(async () => sizeOf(binding, typeof image === "function" ? await image() : image)),
    thumbnail: (bytes, pixels) =>
      orNull(async () => {
        const given = await sizeOf(binding, bytes);
        return made(bytes, given, { side: within(given, pixels), quality: 80 });
      }),
    shrink: (bytes, { pixels, limit }) =>
      orNull(async () => {
        const given = await sizeOf(binding, bytes);
        for (const { scale, quality } of attempts) {
          const side = Math.max(1, Math.floor(within(given, pixels) * scale));
          const image = await made(bytes, given, { side, quality });
          if (image.bytes.byteLength <= limit) return image;
        }
        return null;
      }),
  };
}

/** The longer side of the result. Images are never enlarged. */
function within({ width, height }: ImageSize, pixels: number): number {
  return Math.min(pixels, Math.max(width, height));
}

async function sizeOf(binding: ImagesBinding, image: Uint8Array | ReadableStream<Uint8Array>): Promise<ImageSize> {
  const info = await binding.info(image instanceof ReadableStream ? image : streamOf(image));
  if (!("width" in info)) throw new Error("an image without a size");
  return { width: info.width, height: info.height };
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new Blob([bytes as Uint8Array<ArrayBuffer>]).stream() as ReadableStream<Uint8Array>;
}

/**
 * Returns null if the service refuses, for example bytes that are not an image: its errors have a code. An error without a code means
 * that the request did not reach the service, so it is sent once more.
 */
async function orNull<T>(work: () => Promise<T | null>): Promise<T | null> {
  for (let attempt = 1; attempt <= 2; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Error && "code" in error) return null;
    }
  }
  return null;
}
