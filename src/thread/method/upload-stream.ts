// The body of an upload as a stream of pieces that are large enough to be stored unchanged. The body is read only as fast as the consumer
// reads the stream. If the sender stalls, the upload is refused, and sooner if other uploads wait.

import { ThreadholdError, refuse } from "#contract/error.ts";
import type { Clock } from "#core/ports/clock.ts";
import { waitWithin } from "#lib/time-limit.ts";

/** The minimum and the maximum number of bytes of a piece. Only the last piece may be smaller. */
const pieceSize = { least: 64 * 1024, most: 256 * 1024 };

/**
 * Milliseconds within which each piece has to arrive, so that a sender of single bytes counts as stalled too: about 2 KiB a second, and 13
 * KiB a second while other uploads wait.
 */
export const uploadPieceMs = 30_000;
export const crowdedPieceMs = 5000;

/** An upload in progress. */
export interface Upload {
  stream: ReadableStream<Uint8Array>;
  /** Releases the request's body, even if it was not read to its end. */
  release(): void;
}

/** Reads a request's body. If the body ends early, the stream fails, so that no incomplete file is stored. */
export function openUpload(
  body: ReadableStream<Uint8Array>,
  clock: Clock,
  crowded: () => boolean = () => false,
): Upload {
  const reader = body.getReader({ mode: "byob" });
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await readPiece(reader, clock, crowded);
        if (value !== undefined && value.length > 0) controller.enqueue(value);
        if (done) controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return { stream, release: () => reader.releaseLock() };
}

async function readPiece(
  reader: ReadableStreamBYOBReader,
  clock: Clock,
  crowded: () => boolean,
): Promise<ReadableStreamReadResult<Uint8Array>> {
  const displaced = new AbortController();
  let disarm = () => {};
  // Checked at intervals, because other uploads may begin to wait while the piece is arriving.
  const checkLater = () => {
    disarm = clock.after(crowdedPieceMs, () => (crowded() ? displaced.abort() : checkLater()));
  };
  checkLater();
  const refuseAfter = (milliseconds: number) => () => {
    throw tooSlow(milliseconds);
  };
  try {
    return await waitWithin(() => reader.readAtLeast(pieceSize.least, new Uint8Array(pieceSize.most)), {
      timers: clock,
      milliseconds: uploadPieceMs,
      onTimeout: refuseAfter(uploadPieceMs),
      abort: { signal: displaced.signal, onAbort: refuseAfter(crowdedPieceMs) },
    });
  } catch (thrown) {
    if (!(thrown instanceof ThreadholdError)) throw brokenOff();
    // Ends the pending read. The body is abandoned, so a failure to cancel it has no consequence.
    reader.cancel("stalled").catch(() => undefined);
    throw thrown;
  } finally {
    disarm();
  }
}

function tooSlow(limit_ms: number): ThreadholdError {
  const pace = `${pieceSize.least} bytes in ${limit_ms / 1000} s`;
  const crowd = limit_ms === crowdedPieceMs ? " while other uploads waited" : "";
  const details = { limit_ms, limit_bytes: pieceSize.least };
  return refuse("invalid_request", `The body came slower than ${pace}${crowd}; nothing was written.`, details);
}

function brokenOff(): ThreadholdError {
  return refuse("invalid_request", "The body broke off before its end; nothing was written.");
}
