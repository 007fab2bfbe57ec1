// Reads files piece by piece, as they are asked for. A file that is replaced while it is read fails the reader: bytes of two
// writes never come together.

import { refuse } from "#contract/error.ts";
import type { ByteRange } from "#core/ports/thread-files.ts";
import type { FileChunk } from "#spec/index.ts";

import type { Bucket } from "./file-bucket.ts";
import { readFromBucket } from "./file-bucket.ts";
import { joined } from "./file-path.ts";
import { chunkBytes } from "./file-rows.ts";
import type { FileRow, FileRows } from "./file-rows.ts";

/** What reading needs. */
export interface FileReaderParts {
  rows: FileRows;
  bucket: Bucket | null;
}

/** Bytes of a file that is read whole. */
const wholeLimit = 32 * 1024 * 1024;

/** The bytes of a range as a stream that reads a chunk when one is wanted. */
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
    if (bytes === null) throw stands(parts, row) ? lost(row) : changed(row);
    return bytes;
  }
  let at = offset;
  return new ReadableStream<Uint8Array>(
    {
      // So that an answer made of it has a Content-Length, and one that stays short is seen as broken.
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

/** The whole file in memory, once. `too_large` for one that would not fit beside what else the object holds. */
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

/** The chunks of a file, each read when it is asked for. */
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

/** One chunk from the object's own storage. */
function chunkOf({ rows }: FileReaderParts, row: FileRow, number: number): Uint8Array {
  const { place } = row.body;
  if (place?.type === "chunks") {
    const chunk = rows.chunk(place.generation, number);
    if (chunk === null) throw changed(row);
    return chunk;
  }
  const bytes = stands({ rows }, row) ? rows.bytes(row.parent, row.name) : null;
  if (bytes === null) throw changed(row);
  return bytes;
}

/** Whether what was looked up is still the file. */
function stands({ rows }: Pick<FileReaderParts, "rows">, row: FileRow): boolean {
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
