// Reads the bytes of a file to write: as a sequence of pieces, limited in number, and combined to chunks of equal size.

import { refuse } from "#contract/error.ts";
import type { FileBody } from "#core/ports/thread-file-port.ts";

/** The pieces of a body. A stream that is not read to its end, or that the signal aborts, is cancelled. */
export async function* piecesOf(body: FileBody, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  if (typeof body === "string") yield new TextEncoder().encode(body);
  else if (body instanceof Uint8Array) yield body;
  else {
    const reader = body.getReader();
    const cancel = () => reader.cancel("not read to the end").catch(() => undefined);
    const cutOff = () => void cancel();
    let ended = false;
    signal?.addEventListener("abort", cutOff, { once: true });
    try {
      for (;;) {
        signal?.throwIfAborted();
        const { done, value } = await reader.read();
        // A cancelled stream ends normally, but must not count as complete.
        signal?.throwIfAborted();
        ended = done;
        if (done) return;
        if (!((value as unknown) instanceof Uint8Array)) throw notBytes();
        yield value;
      }
    } finally {
      signal?.removeEventListener("abort", cutOff);
      if (!ended) await cancel();
    }
  }
}

/** Cancels a stream that was never read, so that its sender is notified. */
export async function cancelUnread(body: FileBody): Promise<void> {
  if (body instanceof ReadableStream && !body.locked) await body.cancel("not read").catch(() => undefined);
}

/** Passes pieces on, counts their bytes, and throws `too_large` when they exceed the limit. */
export async function* limitBytes(
  pieces: AsyncIterable<Uint8Array>,
  count: { bytes: number },
  { limit, path }: { limit: number; path: string },
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    count.bytes += piece.byteLength;
    if (count.bytes > limit) {
      throw refuse("too_large", `${path} has more than ${limit} bytes, which is the most a file may have.`, { limit });
    }
    yield piece;
  }
}

/** Combines pieces to chunks of `size`; only the last one may be smaller. The caller may keep each chunk. */
export async function* inChunks(pieces: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let chunk = new Uint8Array(Math.min(size, 64 * 1024));
  let filled = 0;
  for await (const piece of pieces) {
    let remaining = piece;
    while (remaining.byteLength > 0) {
      const taken = remaining.subarray(0, size - filled);
      chunk = withCapacity(chunk, filled, { needed: filled + taken.byteLength, size });
      chunk.set(taken, filled);
      filled += taken.byteLength;
      remaining = remaining.subarray(taken.byteLength);
      if (filled < size) continue;
      yield chunk;
      chunk = new Uint8Array(size);
      filled = 0;
    }
  }
  if (filled > 0) yield chunk.slice(0, filled);
}

function notBytes() {
  return refuse("invalid_request", "A stream that is written to a file must give bytes, as Uint8Array.");
}

/** Returns a buffer with enough space. Doubling keeps small files small and limits copies of large ones. */
function withCapacity(
  chunk: Uint8Array<ArrayBuffer>,
  filled: number,
  { needed, size }: { needed: number; size: number },
): Uint8Array<ArrayBuffer> {
  if (needed <= chunk.byteLength) return chunk;
  const larger = new Uint8Array(Math.min(size, Math.max(needed, chunk.byteLength * 2)));
  larger.set(chunk.subarray(0, filled));
  return larger;
}
