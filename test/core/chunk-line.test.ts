// The line for a piece of a file in an export, compared with the platform's own base64 and JSON.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { decodedChunk, encodedChunk } from "#core/archive/chunk-line.ts";
import { fromBase64, toBase64 } from "#lib/base64.ts";

const encoder = new TextEncoder();
const lineOf = (data: string) => encoder.encode(`{"type":"chunk","data":"${data}"}\n`);
const pieces = fc.uint8Array({ maxLength: 400 });

describe("the line of an export for a chunk of a file", () => {
  it("An export's line for a chunk of a file contains the bytes as base64 in JSON, and is decoded to the same bytes", () => {
    fc.assert(
      fc.property(pieces, (bytes) => {
        const line = encodedChunk(bytes);
        expect(JSON.parse(new TextDecoder().decode(line))).toEqual({ type: "chunk", data: toBase64(bytes) });
        expect(decodedChunk(line)).toEqual(bytes);
      }),
    );
    const every = Uint8Array.from({ length: 256 * 3 }, (_, at) => (at * 7) % 256);
    expect(decodedChunk(encodedChunk(every))).toEqual(every);
  });

  it("An export's line for a chunk of a file is decoded to the bytes of its base64, and not at all if the base64 is invalid or unpadded", () => {
    const letters = fc.string({
      unit: fc.constantFrom(...'A Z a z 0 9 + / = - _ \n " \\ ü'.split(" "), " "),
      maxLength: 12,
    });
    fc.assert(
      fc.property(letters, (data) => {
        // A line without its padding is left to the general parser.
        expect(decodedChunk(lineOf(data))).toEqual(data.length % 4 === 0 ? fromBase64(data) : null);
      }),
      { numRuns: 2000 },
    );
    for (const data of [
      "=",
      "A",
      "AA",
      "AAA",
      "A===",
      "AA=A",
      "=AAA",
      "AAAA=",
      "AA==AAAA",
      "AAAA\u0000AAA",
      "AAA\u00ff",
    ]) {
      expect([data, decodedChunk(lineOf(data))]).toEqual([data, null]);
    }
  });

  it("An export's line is not decoded as a chunk of a file if it is empty, incomplete, of another type, or begins with another field", () => {
    for (const line of [
      "",
      "\n",
      '{"type":"void"}\n',
      '{"type":"chunk","data":"',
      '{"data":"AAAA","type":"chunk"}\n',
    ]) {
      expect(decodedChunk(encoder.encode(line))).toBeNull();
    }
  });
});
