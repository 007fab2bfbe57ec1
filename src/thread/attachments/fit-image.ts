// Reduces uploaded images to a size that models accept, by encoding larger ones again (figures: Bodies and readers). If that fails, the
// original is kept.

import type { ImagePort } from "#core/ports/image-port.ts";
import { imageType } from "#lib/image-type.ts";

/** The most bytes, and the most pixels of a side, of an upload that is stored unchanged. */
const imageBytes = 1_500_000;
const imagePixels = 4096;

/** The bytes to store, with their type and size in pixels. */
export interface FittedFile {
  bytes: Uint8Array;
  mimeType: string;
  width?: number | undefined;
  height?: number | undefined;
}

/** Returns the file as it is stored. The type of an image is read from its bytes if they have a known format. */
export async function fitImage(bytes: Uint8Array, mimeType: string, images: ImagePort): Promise<FittedFile> {
  if (!mimeType.startsWith("image/")) return { bytes, mimeType };
  const known = imageType(bytes);
  const size = await images.size(bytes);
  const isLarge = bytes.byteLength > imageBytes || Math.max(size?.width ?? 0, size?.height ?? 0) > imagePixels;
  // An image of an unknown format is converted too, because models do not accept it.
  if (isLarge || known === null) {
    const made = await images.shrink(bytes, { pixels: imagePixels, limit: imageBytes });
    if (made !== null) return made;
  }
  return { bytes, mimeType: known ?? mimeType, width: size?.width, height: size?.height };
}
