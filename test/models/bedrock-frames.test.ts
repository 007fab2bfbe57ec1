// The frames of Bedrock's binary stream: if they are split, cut or damaged, or state wrong lengths, the answer is complete or ends with an error
// that is retried, and its content is never wrong.

import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";

import type { ModelPart } from "#core/ports/model-port.ts";
import { EventFrames } from "#models/bedrock/event-frames.ts";

import { collect, model, readAnswer, request, serverEnv, serverPort } from "./ask-model.ts";
import { bytesOf } from "./fixture-bytes.ts";

/** Reads an answer whose body has these pieces. */
async function read(pieces: readonly Uint8Array[]): Promise<ModelPart[]> {
  const left = [...pieces];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = left.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(next);
    },
  });
  const headers = { "content-type": "application/vnd.amazon.eventstream" };
  const port = serverPort({
    env: serverEnv("https://provider.example"),
    fetch: () => Promise.resolve(new Response(body, { headers })),
  });
  return collect(port.stream(request(model("bedrock", "any")), new AbortController().signal));
}

const seed = inject("modelServerSeed");
const damaged = { type: "error", failure: { kind: "network", retryable: true } };

/** The offset after the frame of `messageStop`, with which the answer is complete. */
function completeAt(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  for (;;) {
    const length = view.getUint32(at);
    const text = new TextDecoder().decode(bytes.subarray(at, at + length));
    at += length;
    if (text.includes("messageStop")) return at;
  }
}

/** The bytes with other ones at an offset. */
function withBytes(bytes: Uint8Array, at: number, values: readonly number[]): Uint8Array {
  const changed = bytes.slice();
  changed.set(values, at);
  return changed;
}

describe("damaged frames", () => {
  it("BEDROCK3 An answer with one flipped bit before its end is a network error that is retried", async () => {
    const bytes = await bytesOf("bedrock", "text");
    const end = completeAt(bytes);
    const flips = fc.asyncProperty(fc.nat(end - 1), fc.nat(7), async (at, bit) => {
      const { end: last } = readAnswer(await read([withBytes(bytes, at, [(bytes[at] ?? 0) ^ (1 << bit)])]));
      expect(last).toMatchObject(damaged);
    });
    const ofFirstByte = Array.from({ length: 8 }, (_, bit): [number, number] => [0, bit]);
    await fc.assert(flips, { seed, numRuns: 150, examples: ofFirstByte });
  });

  it("BEDROCK3 The error of a damaged frame states its checksum, and keeps the text of the frames before it", async () => {
    const bytes = await bytesOf("bedrock", "text");
    const at = completeAt(bytes) - 1;
    const { text, end } = readAnswer(await read([withBytes(bytes, at, [(bytes[at] ?? 0) ^ 1])]));
    expect(text).toBe("Hello there, how can I help?");
    const message = "The event stream of the answer is damaged: the checksum of a frame is wrong.";
    expect(end).toMatchObject({ ...damaged, failure: { ...damaged.failure, message } });
  });

  it("BEDROCK3 An answer that is cut within or after any frame before its end is retried, and one that is cut later is complete", async () => {
    const bytes = await bytesOf("bedrock", "text");
    const end = completeAt(bytes);
    const cuts = fc.asyncProperty(fc.integer({ min: 1, max: bytes.length }), async (length) => {
      const { end: last } = readAnswer(await read([bytes.slice(0, length)]));
      expect(last).toMatchObject(length < end ? damaged : { type: "finish", stop_reason: "stop" });
    });
    await fc.assert(cuts, { seed, numRuns: 100 });
  });

  it("BEDROCK3 A damaged frame after the end of an answer changes nothing", async () => {
    const bytes = await bytesOf("bedrock", "text");
    const tail = [...bytes, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
    expect(readAnswer(await read([new Uint8Array(tail)])).end).toMatchObject({ type: "finish", usage: { input: 12 } });
  });
});

describe("the reader of frames", () => {
  it.for([
    ["a length of four gigabytes", 0, [0xff, 0xff, 0xff, 0xff]],
    ["a length of zero", 0, [0, 0, 0, 0]],
    ["headers that are longer than the frame", 4, [0, 0, 0xff, 0xff]],
    ["headers of four gigabytes", 4, [0xff, 0xff, 0xff, 0xff]],
  ] as const)("A prelude with %s is damage, and no further byte is kept", async ([, at, values]) => {
    const bytes = await bytesOf("bedrock", "text");
    // The checksum of the changed prelude is right, so that the lengths themselves are checked.
    const prelude = withBytes(bytes.slice(0, 8), at, values);
    const frames = new EventFrames();
    expect(frames.take(new Uint8Array([...prelude, ...checksum(prelude)]))).toEqual([]);
    expect(frames.damage?.message).toContain("bytes");
    expect(frames.take(bytes)).toEqual([]);
  });

  it("A header that claims more bytes than the headers have is damage, and so is one of an unknown type", () => {
    for (const headers of [
      [200, 1, 2, 3],
      [1, 97, 7, 0xff, 0xff],
      [1, 97, 99],
      [1, 97, 9, 1],
    ]) {
      const frames = new EventFrames();
      expect(frames.take(frameWith(headers, [123, 125]))).toEqual([]);
      expect(frames.damage).not.toBeNull();
    }
  });

  it("Headers of every type are read, and those with texts are returned", () => {
    const head = [
      1,
      97,
      0,
      1,
      98,
      1,
      1,
      99,
      2,
      5,
      1,
      100,
      3,
      0,
      5,
      1,
      101,
      4,
      0,
      0,
      0,
      5,
      1,
      102,
      5,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      5,
      1,
      103,
      6,
      0,
      2,
      1,
      2,
      1,
      104,
      7,
      0,
      2,
      104,
      105,
      1,
      105,
      8,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      5,
      1,
      106,
      9,
      ...Array.from({ length: 16 }, () => 7),
    ];
    const frames = new EventFrames();
    expect(frames.take(frameWith(head, [123, 125]))).toEqual([{ headers: new Map([["h", "hi"]]), payload: "{}" }]);
  });

  it("Random bytes cause no exception, and frames are the same wherever the bytes are split", () => {
    const whole = [frameWith([1, 104, 7, 0, 1, 104], [123, 125]), frameWith([], []), frameWith([], [120])];
    const bytes = new Uint8Array(whole.flatMap((frame) => [...frame]));
    const expected = new EventFrames().take(bytes);
    expect(expected).toHaveLength(3);
    const property = fc.property(fc.array(fc.nat(bytes.length)), fc.uint8Array(), (offsets, noise) => {
      const ends = [...offsets, bytes.length].toSorted((a, b) => a - b);
      const frames = new EventFrames();
      let start = 0;
      const found = ends.flatMap((end) => frames.take(bytes.slice(start, (start = end))));
      expect(found).toEqual(expected);
      frames.take(noise);
      frames.end();
    });
    fc.assert(property, { seed, numRuns: 200 });
  });
});

/** The CRC-32 of bytes, bit by bit. */
function checksum(bytes: Uint8Array): number[] {
  let value = 0xffffffff;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ ((value & 1) * 0xedb88320);
  }
  const sum = ~value >>> 0;
  return [sum >>> 24, (sum >>> 16) & 255, (sum >>> 8) & 255, sum & 255];
}

function frameWith(headers: readonly number[], payload: readonly number[]): Uint8Array {
  const length = 16 + headers.length + payload.length;
  const prelude = new Uint8Array([0, 0, length >> 8, length & 255, 0, 0, headers.length >> 8, headers.length & 255]);
  const body = new Uint8Array([...prelude, ...checksum(prelude), ...headers, ...payload]);
  return new Uint8Array([...body, ...checksum(body)]);
}
