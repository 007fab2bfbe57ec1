// The line of a piece of a file, made of bytes and read from bytes without ever being a text: these lines are nearly all there
// is of a large export.

import { decodedBytes, encodedLength, encodeInto } from "#lib/base64-bytes.ts";

const encoder = new TextEncoder();
const head = encoder.encode('{"type":"chunk","data":"');
const tail = encoder.encode('"}\n');

/** The line, its end included. */
export function encodedChunk(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const length = encodedLength(bytes.byteLength);
  const line = new Uint8Array(head.byteLength + length + tail.byteLength);
  line.set(head);
  encodeInto(bytes, line, head.byteLength);
  line.set(tail, head.byteLength + length);
  return line;
}

/** The piece of a line that is written just so; null for any other, which may be a chunk's all the same. */
export function decodedChunk(line: Uint8Array): Uint8Array | null {
  const end = line.byteLength - tail.byteLength;
  if (end < head.byteLength || !isAt(line, head, 0) || !isAt(line, tail, end)) return null;
  return decodedBytes(line.subarray(head.byteLength, end));
}

function isAt(line: Uint8Array, part: Uint8Array, place: number): boolean {
  return part.every((byte, at) => line[place + at] === byte);
}
