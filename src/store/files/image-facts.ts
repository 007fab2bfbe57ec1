// Determines width and height of an image that is written without them. Bytes of a stream are read back from the storage, so that the
// image is never whole in memory.

import type { ImagePort } from "#core/ports/image-port.ts";
import type { FileFacts } from "#core/ports/thread-file-port.ts";

/** Maximal bytes of an image that is measured or loaded to be resized. */
export const imageLimit = 20 * 1024 * 1024;

/** Bytes that are stored already, and a function that reads them. */
export interface StoredBytes {
  size: number;
  open: () => Promise<Uint8Array | ReadableStream<Uint8Array>>;
}

/** Adds width and height, if the image is small enough and the image service can read it. */
export async function measured<F extends FileFacts>(images: ImagePort, stored: StoredBytes, facts: F): Promise<F> {
  const known = facts.width !== undefined && facts.height !== undefined;
  if (known || !facts.mimeType.startsWith("image/") || stored.size > imageLimit) return facts;
  // The bytes are stored already, so a file that cannot be measured is kept without its width and height.
  const size = await images.size(() => stored.open());
  return size === null ? facts : { ...facts, width: facts.width ?? size.width, height: facts.height ?? size.height };
}
