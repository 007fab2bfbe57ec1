// Bytes on their way in: whatever was given as a sequence of pieces, counted against the limit, cut to chunks.

import { refuse } from "#contract/error.ts";
import type { FileBody } from "#core/ports/thread-files.ts";

/** The pieces of a body. A stream that is not read to its end is cancelled; so is one whose next piece the signal cuts off. */
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
        // A stream that is cancelled ends, and must not be taken for a whole one.
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

/** Cancels a stream that nobody began to read, so that its sender hears of it. */
export async function leave(body: FileBody): Promise<void> {
  if (body instanceof ReadableStream && !body.locked) await body.cancel("not read").catch(() => undefined);
}

/** Passes pieces on and tells how many bytes went by; refuses what comes beyond the limit. */
export async function* counted(
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

/** Puts pieces together to chunks of `size`; only the last is smaller. Each chunk is the caller's to keep. */
export async function* inChunks(pieces: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let chunk = new Uint8Array(Math.min(size, 64 * 1024));
  let filled = 0;
  for await (const piece of pieces) {
    let rest = piece;
    while (rest.byteLength > 0) {
      const taken = rest.subarray(0, size - filled);
      chunk = grown(chunk, filled, { needed: filled + taken.byteLength, size });
      chunk.set(taken, filled);
      filled += taken.byteLength;
      rest = rest.subarray(taken.byteLength);
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

/** Room for what is needed: doubling, so that a small file takes little and a large one is not copied often. */
function grown(
  chunk: Uint8Array<ArrayBuffer>,
  filled: number,
  { needed, size }: { needed: number; size: number },
): Uint8Array<ArrayBuffer> {
  if (needed <= chunk.byteLength) return chunk;
  const larger = new Uint8Array(Math.min(size, Math.max(needed, chunk.byteLength * 2)));
  larger.set(chunk.subarray(0, filled));
  return larger;
}
