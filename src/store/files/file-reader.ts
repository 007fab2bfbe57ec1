// Reads files piece by piece on demand. If a file is replaced while it is read, the reader fails or returns the rest of the old version.
// Bytes of two versions are never mixed.

import { refuse } from "#contract/error.ts";
import type { ByteRange } from "#core/ports/thread-file-port.ts";
import type { FileChunk } from "#spec/index.ts";

import type { Bucket } from "./file-bucket.ts";
import { readFromBucket } from "./file-bucket.ts";
import { joined } from "./file-path.ts";
import { chunkBytes } from "./file-rows.ts";
import type { FileRow, FileRows } from "./file-rows.ts";

/** Dependencies of reading. */
export interface FileReaderParts {
  rows: FileRows;
  bucket: Bucket | null;
}

/** Maximal bytes of a file that is read at once. */
const wholeLimit = 32 * 1024 * 1024;

/** The bytes of a range as a stream, which reads a chunk on demand. */
export async function openBytes(
  parts: FileReaderParts,
  row: FileRow,
  range: ByteRange = { offset: 0 },
): Promise<ReadableStream<Uint8Array>> {
  const offset = Math.min(wholeNumber(range.offset, "offset"), row.size);
  const length = range.length === undefined ? row.size : wholeNumber(range.length, "length");
  const end = Math.min(row.size, offset + length);
  const { place } = row.body;
  if (place?.type === "bucket" && end > offset) {
    if (parts.bucket === null) throw noBucket(row);
    const bytes = await readFromBucket(parts.bucket, place.key, { offset, length: end - offset });
    if (bytes === null) throw isCurrent(parts, row) ? lost(row) : changed(row);
    return bytes;
  }
  let at = offset;
  return new ReadableStream<Uint8Array>(
    {
      // Gives a response its Content-Length, so that a stream that ends early is recognised as incomplete.
      expectedLength: end - offset,
      pull(controller) {
        if (at >= end) {
          controller.close();
          return;
        }
        const number = Math.floor(at / chunkBytes);
        const chunk = chunkOf(parts, row, number);
        const begin = at - number * chunkBytes;
        const piece = chunk.subarray(begin, Math.min(chunk.byteLength, begin + end - at));
        if (piece.byteLength === 0) throw changed(row);
        at += piece.byteLength;
        controller.enqueue(piece);
      },
    },
    { highWaterMark: 0 },
  );
}

/** The whole file in memory. Throws `too_large` for a file that would need too much of the object's memory. */
export async function wholeBytes(parts: FileReaderParts, row: FileRow): Promise<Uint8Array> {
  if (row.size > wholeLimit) {
    const path = joined(row.parent, row.name);
    const message = `${path} has ${row.size} bytes; at most ${wholeLimit} are read at once. Read it chunk by chunk.`;
    throw refuse("too_large", message, { limit: wholeLimit });
  }
  const bytes = new Uint8Array(row.size);
  let filled = 0;
  for await (const piece of await openBytes(parts, row)) {
    bytes.set(piece, filled);
    filled += piece.byteLength;
  }
  return bytes;
}

/** The chunks of a file, each read on demand. */
export async function* fileChunks(
  parts: FileReaderParts,
  row: FileRow,
  signal?: AbortSignal,
): AsyncGenerator<FileChunk> {
  const totalChunks = Math.max(1, Math.ceil(row.size / chunkBytes));
  for (let index = 0; index < totalChunks; index += 1) {
    if (signal?.aborted === true) return;
    const data = await chunkBytesOf(parts, row, index);
    yield { data, index, totalChunks, isLast: index === totalChunks - 1 };
  }
}

async function chunkBytesOf(parts: FileReaderParts, row: FileRow, index: number): Promise<Uint8Array> {
  if (row.body.place?.type !== "bucket") return chunkOf(parts, row, index);
  const range = { offset: index * chunkBytes, length: chunkBytes };
  return new Uint8Array(await new Response(await openBytes(parts, row, range)).arrayBuffer());
}

/** Reads one chunk from the object's storage. */
function chunkOf({ rows }: FileReaderParts, row: FileRow, number: number): Uint8Array {
  const { place } = row.body;
  if (place?.type === "chunks") {
    const chunk = rows.chunk(place.generation, number);
    if (chunk === null) throw changed(row);
    return chunk;
  }
  const bytes = isCurrent({ rows }, row) ? rows.bytes(row.parent, row.name) : null;
  if (bytes === null) throw changed(row);
  return bytes;
}

/** Whether the row is still that of the current file. */
function isCurrent({ rows }: Pick<FileReaderParts, "rows">, row: FileRow): boolean {
  return rows.find(row.parent, row.name)?.body.tag === row.body.tag;
}

function wholeNumber(value: number, field: string): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw refuse("invalid_request", `A range's ${field} must be a whole number of bytes from 0 on.`);
}

function changed(row: FileRow) {
  return refuse("conflict", `${joined(row.parent, row.name)} was changed while it was read. Read it again.`);
}

function lost(row: FileRow) {
  return refuse("unavailable", `The bytes of ${joined(row.parent, row.name)} are not in the bucket any more.`);
}

function noBucket(row: FileRow) {
  const path = joined(row.parent, row.name);
  return refuse("unavailable", `${path} lies in a bucket that is not bound. Bind it as FILES again.`);
}
