// The body of an upload as a stream that reads no faster than it is read, in pieces large enough to be stored as they are.

import { refuse } from "#contract/error.ts";

/** Bytes of a piece. Only the last one is smaller. */
const pieceSize = 256 * 1024;

/** An upload on its way. */
export interface Upload {
  stream: ReadableStream<Uint8Array>;
  /** Lets go of the request's body, as far as it was read. */
  release(): void;
}

/** Reads a request's body. A body that breaks off errors the stream, so that no half of a file is taken for the whole. */
export function openUpload(body: ReadableStream<Uint8Array>): Upload {
  const reader = body.getReader({ mode: "byob" });
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await readPiece(reader);
        if (value !== undefined && value.length > 0) controller.enqueue(value);
        if (done) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, release: () => reader.releaseLock() };
}

async function readPiece(reader: ReadableStreamBYOBReader): Promise<ReadableStreamReadResult<Uint8Array>> {
  try {
    return await reader.readAtLeast(pieceSize, new Uint8Array(pieceSize));
  } catch {
    throw refuse("invalid_request", "The body broke off before its end; nothing was written.");
  }
}
