// Lines as a stream of bytes that is made as it is read, closed by the line that says how many there were and what they hash
// to. Whoever lacks that line does not have the whole.

import type { ExportHeader } from "#contract/export-header.ts";
import type { ArchiveLine } from "#core/archive/archive-line.ts";
import { ArchiveTally } from "#core/archive/archive-tally.ts";
import { encodedChunk } from "#core/archive/chunk-line.ts";
import { RunningDigest } from "#lib/running-digest.ts";

/** Bytes that are gathered before they are handed on. */
const pieceSize = 64 * 1024;

/** The stream. An error of the lines breaks it off. `ended` is called once nothing more of it is read. */
export function lineStream(
  header: ExportHeader,
  lines: AsyncGenerator<ArchiveLine>,
  ended: () => void,
): ReadableStream<Uint8Array> {
  const pieces = bytesOf(header, lines);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = await pieces.next();
          if (next.done !== true) {
            controller.enqueue(next.value);
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
