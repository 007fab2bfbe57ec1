// Reads the frames of `application/vnd.amazon.eventstream`, the binary form of AWS's streams: a prelude with two lengths and its checksum,
// headers, a payload, and the checksum of all of it. Source: https://smithy.io/2.0/aws/amazon-eventstream.html.
// Invariants: a length is used only after the checksum of its prelude was compared; a frame is returned only after its own checksum was
// compared; the memory is bounded by `longestFrame`, and the work grows with the number of bytes, wherever they are split.

import { DamagedAnswer } from "../damaged-answer.ts";

/** A frame: its headers with text values, and the text of its payload. */
export interface EventFrame {
  headers: ReadonlyMap<string, string>;
  payload: string;
}

/** The maximum number of bytes of a frame. AWS allows payloads of 16 MiB; with this bound, the first byte of every frame is 0. */
const longestFrame = 2 ** 24 - 1;

/** The maximum number of bytes of a frame's headers, as in AWS's specification. */
const longestHeaders = 128 * 1024;

/** The lengths of the frame and of its headers, and their checksum. */
const preludeBytes = 12;
const checksumBytes = 4;

const checksums = new Uint32Array(256).map((_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = (value & 1) === 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** The CRC-32 of bytes, as in IEEE 802.3. */
function checksumOf(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = (checksums[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The number of bytes of a header's value by its type; null for a value with a length before it: bytes, and a text. */
const valueBytes: readonly (number | null)[] = [0, 0, 1, 2, 4, 8, null, null, 8, 16];
const textType = 7;

const decoder = new TextDecoder();

/** The headers with text values. A DataView throws a RangeError for a length that exceeds the headers. */
function headersOf(bytes: Uint8Array): Map<string, string> {
  const headers = new Map<string, string>();
  const view = viewOf(bytes);
  let at = 0;
  const take = (count: number): Uint8Array => {
    if (at + count > bytes.length) throw new RangeError("A header is longer than the headers.");
    at += count;
    return bytes.subarray(at - count, at);
  };
  while (at < bytes.length) {
    const name = decoder.decode(take(view.getUint8(take(1).byteOffset - bytes.byteOffset)));
    const type = view.getUint8(take(1).byteOffset - bytes.byteOffset);
    const known = valueBytes[type];
    if (known === undefined) throw new RangeError(`The type ${type} of a header is unknown.`);
    const value = take(known ?? view.getUint16(take(2).byteOffset - bytes.byteOffset));
    if (type === textType) headers.set(name, decoder.decode(value));
  }
  return headers;
}

function damaged(problem: string): DamagedAnswer {
  return new DamagedAnswer(`The event stream of the answer is damaged: ${problem}`);
}

/** The length of a frame, from its prelude. */
function lengthOf(prelude: Uint8Array): number {
  const view = viewOf(prelude);
  const length = view.getUint32(0);
  const headers = view.getUint32(4);
  if (view.getUint32(8) !== checksumOf(prelude.subarray(0, 8))) throw damaged("the checksum of a prelude is wrong.");
  if (length > longestFrame) throw damaged(`a frame has ${length} bytes, more than the ${longestFrame} that are read.`);
  if (headers > longestHeaders || preludeBytes + headers + checksumBytes > length)
    throw damaged(`a frame of ${length} bytes has ${headers} bytes of headers.`);
  return length;
}

function frameOf(bytes: Uint8Array): EventFrame {
  const view = viewOf(bytes);
  const end = bytes.length - checksumBytes;
  if (view.getUint32(end) !== checksumOf(bytes.subarray(0, end))) throw damaged("the checksum of a frame is wrong.");
  const payloadAt = preludeBytes + view.getUint32(4);
  try {
    const headers = headersOf(bytes.subarray(preludeBytes, payloadAt));
    return { headers, payload: decoder.decode(bytes.subarray(payloadAt, end)) };
  } catch (error) {
    throw damaged(error instanceof Error ? error.message : "its headers cannot be read.");
  }
}

/** The frames of one body. */
export class EventFrames {
  /** Why no further frame is read; null while frames are read. */
  damage: DamagedAnswer | null = null;
  #buffer = new Uint8Array(1024);
  #start = 0;
  #end = 0;
  /** The length of the frame whose prelude was read; null before that. */
  #length: number | null = null;

  /** Reads the next piece of the body, and returns the frames that are complete now: those before the first damaged one. */
  take(piece: Uint8Array): EventFrame[] {
    const frames: EventFrame[] = [];
    if (this.damage !== null) return frames;
    this.#append(piece);
    try {
      for (let next = this.#next(); next !== null; next = this.#next()) frames.push(next);
    } catch (error) {
      if (!(error instanceof DamagedAnswer)) throw error;
      this.damage = error;
    }
    return frames;
  }

  /** Ends the body. */
  end(): void {
    if (this.#end > this.#start) this.damage ??= damaged("it ended within a frame.");
  }

  /** The next frame; null if it is not complete. */
  #next(): EventFrame | null {
    const bytes = this.#buffer.subarray(this.#start, this.#end);
    if (this.#length === null && bytes.length < preludeBytes) return null;
    this.#length ??= lengthOf(bytes.subarray(0, preludeBytes));
    if (bytes.length < this.#length) return null;
    const frame = frameOf(bytes.subarray(0, this.#length));
    this.#start += this.#length;
    this.#length = null;
    return frame;
  }

  #append(piece: Uint8Array): void {
    const open = this.#buffer.subarray(this.#start, this.#end);
    const needed = open.length + piece.length;
    if (this.#end + piece.length > this.#buffer.length) {
      // The size doubles, so that each byte is copied a bounded number of times.
      const next = needed * 2 > this.#buffer.length ? new Uint8Array(needed * 2) : this.#buffer;
      next.set(open);
      this.#buffer = next;
      this.#start = 0;
      this.#end = open.length;
    }
    this.#buffer.set(piece, this.#end);
    this.#end += piece.length;
  }
}
