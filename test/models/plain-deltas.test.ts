// The shapes of plain deltas (`provider/plain/`): one changed byte of a plain event is either refused by its shape, or read as the provider's package
// reads it.

import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";

import { readBoth } from "./both-paths.ts";
import { wireModels, type Block } from "./wire-answers.ts";

const seed = inject("modelServerSeed");
const encoder = new TextEncoder();

const words = ["One", " two", " three", " four", " five", " six"];
const blocks: Record<string, Block> = {
  text: { kind: "text", pieces: words },
  thinking: { kind: "thinking", pieces: words },
  arguments: { kind: "call", pieces: ['{"a":', "1,", '"b":', "[2", ",3]", ',"c":4}'] },
};

/** OpenAI's package reads no thinking in Chat Completions, and Gemini sends the arguments of a call in one event. */
const withoutDeltas = new Set(["OpenAI's Chat Completions: thinking", "Gemini's API: arguments"]);

/** A byte in place of another one, or in addition to it, or none. Most are characters with a meaning in JSON. */
const change = fc.record({
  at: fc.nat(100_000),
  by: fc.oneof(
    fc.constantFrom(...'{}[]",:\\ 0123456789-.eE\n\tnulltruefalse_'.split("")),
    fc.string({ minLength: 1, maxLength: 1, unit: "binary-ascii" }),
  ),
  how: fc.constantFrom("replaced", "added", "removed"),
});

/** The event's data with one changed character. The data of an event has no line break. */
function changed(data: string, { at, by, how }: typeof change extends fc.Arbitrary<infer T> ? T : never): string {
  const position = at % data.length;
  const rest = data.slice(how === "added" ? position : position + 1);
  return `${data.slice(0, position)}${how === "removed" ? "" : by}${rest}`.replaceAll(/[\r\n]/g, " ");
}

describe.for(wireModels.map((wire) => [wire.name, wire] as const))("%s", ([, wire]) => {
  it.for(Object.keys(blocks))(
    "ANSWER6 A changed byte of a plain event of %s gives the answer of the package",
    async (kind) => {
      const block = blocks[kind];
      if (block === undefined) throw new Error(`no block ${kind}`);
      const events = wire.events([block], "finish").map((event) => JSON.stringify(event));
      const first = events.findIndex((data) => data.includes(JSON.stringify(block.pieces[0]).slice(1, -1)));
      const unchanged = { pieces: events.map((data) => encoder.encode(`data: ${data}\n\n`)) };
      const { chunks } = (await readBoth(unchanged, wire)).direct;
      expect((chunks?.direct ?? 0) > 2).toBe(!withoutDeltas.has(`${wire.name}: ${kind}`));
      const same = fc.asyncProperty(fc.nat(2), change, async (later, one) => {
        const target = first + 1 + later;
        const sent = events.map((data, at) => `data: ${at === target ? changed(data, one) : data}\n\n`);
        const read = await readBoth({ pieces: [...sent, wire.mark].map((text) => encoder.encode(text)) }, wire);
        expect(read.direct.parts).toEqual(read.package.parts);
      });
      await fc.assert(same, { seed, numRuns: 60 });
    },
  );
});
