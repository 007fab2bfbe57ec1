// Uploaded images in a size that models take: larger ones are encoded again (figures: Bodies and readers). Where that cannot be done the
// original is kept.

import type { ImagePort } from "#core/ports/image-port.ts";
import { imageType } from "#lib/image-type.ts";

/** Bytes and pixels a side that an upload may have without being encoded again. */
const imageBytes = 1_500_000;
const imagePixels = 4096;

/** Bytes with what is known of them. */
export interface FittedFile {
  bytes: Uint8Array;
  mimeType: string;
  width?: number | undefined;
  height?: number | undefined;
}

/** The file as it is stored. What claims to be an image is told by its bytes where they say so. */
export async function fitImage(bytes: Uint8Array, mimeType: string, images: ImagePort): Promise<FittedFile> {
  if (!mimeType.startsWith("image/")) return { bytes, mimeType };
  const known = imageType(bytes);
  const size = await images.size(bytes);
  const isLarge = bytes.byteLength > imageBytes || Math.max(size?.width ?? 0, size?.height ?? 0) > imagePixels;
  // A kind that models do not take is worth the attempt too.
  if (isLarge || known === null) {
    const made = await images.shrink(bytes, { pixels: imagePixels, limit: imageBytes });
    if (made !== null) return made;
  }
  return { bytes, mimeType: known ?? mimeType, width: size?.width, height: size?.height };
}
