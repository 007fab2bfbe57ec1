// Converts the lines of an export to a stream of bytes, as fast as the client reads it. The last line has the counts and the hash of all
// lines before it; a file without it is incomplete. A client that stops reading is disconnected, because it would keep the object awake.
// The sessions of an export use the same stream for other pieces.

import type { ExportHeader } from "#contract/export-header.ts";
import type { ArchiveLine } from "#core/archive/archive-line.ts";
import { ArchiveTally } from "#core/archive/archive-tally.ts";
import { encodedChunk } from "#core/archive/chunk-line.ts";
import type { Clock } from "#core/ports/clock.ts";
import { RunningDigest } from "#lib/running-digest.ts";

/** UTF-16 units of lines that are combined into one piece of the stream. */
export const pieceSize = 64 * 1024;

/** Milliseconds within which the client has to read a piece. */
export const readPieceMs = 60_000;

/** Options of a stream. `onEnd` is called when the stream has ended, failed or was cancelled. */
export interface LineStreamOptions {
  clock: Clock;
  onEnd: () => void;
}

/** The stream. It fails if the lines throw, or if the client reads nothing for a minute. */
export function lineStream(
  header: ExportHeader,
  lines: AsyncGenerator<ArchiveLine>,
  options: LineStreamOptions,
): ReadableStream<Uint8Array> {
  return pieceStream(bytesOf(header, lines), options);
}

/** A stream of pieces, each made when the client has read the one before. It fails like that of lines. */
export function pieceStream(
  pieces: AsyncGenerator<Uint8Array>,
  { clock, onEnd }: LineStreamOptions,
): ReadableStream<Uint8Array> {
  let disarm = (): void => {};
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        disarm();
        try {
          const next = await pieces.next();
          if (next.done !== true) {
            controller.enqueue(next.value);
            disarm = clock.after(readPieceMs, () => {
              controller.error(new Error(`Nothing was read of the export for ${readPieceMs / 1000} s.`));
              onEnd();
              void pieces.return(undefined);
            });
            return;
          }
          onEnd();
          controller.close();
        } catch (thrown) {
          onEnd();
          throw thrown;
        }
      },
      async cancel() {
        disarm();
        onEnd();
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

async function* bytesOf(header: ExportHeader, lines: AsyncGenerator<ArchiveLine>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const digest = new RunningDigest();
  const tally = new ArchiveTally();
  let gathered = `${JSON.stringify(header)}\n`;
  for await (const line of lines) {
    tally.add(line);
    if (line.type !== "chunk") {
      gathered += `${JSON.stringify(line)}\n`;
      if (gathered.length < pieceSize) continue;
    }
    const pieces = [encoder.encode(gathered), ...(line.type === "chunk" ? [encodedChunk(line.bytes)] : [])];
    gathered = "";
    for (const piece of pieces) {
      if (piece.byteLength === 0) continue;
      await digest.add(piece);
      yield piece;
    }
  }
  const rest = encoder.encode(gathered);
  await digest.add(rest);
  yield rest;
  const end = { type: "end" as const, counts: tally.counts, sha256: await digest.hex() };
  yield encoder.encode(`${JSON.stringify(end)}\n`);
}
