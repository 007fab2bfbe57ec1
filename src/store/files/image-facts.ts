// The size of an image that is written, where nobody said it.

import type { ImagePort } from "#core/ports/image-port.ts";
import type { FileBody, FileFacts } from "#core/ports/thread-files.ts";

/** Pixels of a thumbnail's longer side (figures: Images). */
export const thumbnailPixels = 256;

/** The facts with width and height, for an image whose bytes are at hand; a stream is not kept for it. */
export async function measured<F extends FileFacts>(
  images: ImagePort,
  body: FileBody,
  { facts, limit }: { facts: F; limit: number },
): Promise<F> {
  const known = facts.width !== undefined && facts.height !== undefined;
  if (known || !(body instanceof Uint8Array) || !facts.mimeType.startsWith("image/")) return facts;
  const size = body.byteLength <= limit ? await images.size(body) : null;
  return size === null ? facts : { ...facts, width: facts.width ?? size.width, height: facts.height ?? size.height };
}
