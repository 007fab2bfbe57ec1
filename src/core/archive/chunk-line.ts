// Encodes and decodes the line of one chunk of a file. It works on bytes and never makes a string, because chunks are nearly all of a large
// export.

import { decodedBytes, encodedLength, encodeInto } from "#lib/base64-bytes.ts";

const encoder = new TextEncoder();
const head = encoder.encode('{"type":"chunk","data":"');
const tail = encoder.encode('"}\n');

/** Encodes the bytes of a chunk as a line, including the line feed. */
export function encodedChunk(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const length = encodedLength(bytes.byteLength);
  const line = new Uint8Array(head.byteLength + length + tail.byteLength);
  line.set(head);
  encodeInto(bytes, line, head.byteLength);
  line.set(tail, head.byteLength + length);
  return line;
}

/** The bytes of a chunk line that is written exactly as `encodedChunk` does; null for any other line, even a chunk with other spacing. */
export function decodedChunk(line: Uint8Array): Uint8Array | null {
  const end = line.byteLength - tail.byteLength;
  if (end < head.byteLength || !isAt(line, head, 0) || !isAt(line, tail, end)) return null;
  return decodedBytes(line.subarray(head.byteLength, end));
}

function isAt(line: Uint8Array, part: Uint8Array, place: number): boolean {
  return part.every((byte, at) => line[place + at] === byte);
}
