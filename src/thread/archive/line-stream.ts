// Lines as a stream of bytes that is made as it is read, closed by the line that says how many there were and what they hash
// to. Whoever lacks that line does not have the whole. A reader that stands still is given up: it would keep the object awake.

import type { ExportHeader } from "#contract/export-header.ts";
import type { ArchiveLine } from "#core/archive/archive-line.ts";
import { ArchiveTally } from "#core/archive/archive-tally.ts";
import { encodedChunk } from "#core/archive/chunk-line.ts";
import type { Clock } from "#core/ports/clock.ts";
import { RunningDigest } from "#lib/running-digest.ts";

/** Bytes that are gathered before they are handed on. */
const pieceSize = 64 * 1024;

/** Milliseconds in which a piece has to be taken. */
export const readPieceMs = 60_000;

/** What a stream is told beside its lines. `ended` is called once nothing more of it is read. */
export interface LineStreamOptions {
  clock: Clock;
  ended: () => void;
}

/** The stream. An error of the lines breaks it off, and so does a reader that takes nothing for a minute. */
export function lineStream(
  header: ExportHeader,
  lines: AsyncGenerator<ArchiveLine>,
  { clock, ended }: LineStreamOptions,
): ReadableStream<Uint8Array> {
  const pieces = bytesOf(header, lines);
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
              ended();
              void pieces.return(undefined);
            });
            return;
          }
          ended();
          controller.close();
        } catch (thrown) {
          ended();
          throw thrown;
        }
      },
      async cancel() {
        disarm();
        ended();
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
