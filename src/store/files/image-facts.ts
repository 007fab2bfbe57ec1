// The size of an image that is written, where nobody said it. What came as a stream is read back from where it was stored,
// so that it is never whole in memory.

import type { ImagePort } from "#core/ports/image-port.ts";
import type { FileFacts } from "#core/ports/thread-files.ts";

/** Bytes of an image that is measured, or loaded to be made small. */
export const imageLimit = 20 * 1024 * 1024;

/** Bytes that are stored, and how they are read back. */
export interface StoredBytes {
  size: number;
  open: () => Promise<Uint8Array | ReadableStream<Uint8Array>>;
}

/** The facts with width and height, for an image that is not too large and that the service reads. */
export async function measured<F extends FileFacts>(images: ImagePort, stored: StoredBytes, facts: F): Promise<F> {
  const known = facts.width !== undefined && facts.height !== undefined;
  if (known || !facts.mimeType.startsWith("image/") || stored.size > imageLimit) return facts;
  // The bytes are stored already, so a file that cannot be measured is kept without its size.
  const size = await images.size(() => stored.open());
  return size === null ? facts : { ...facts, width: facts.width ?? size.width, height: facts.height ?? size.height };
}
