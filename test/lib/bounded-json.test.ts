// Bounds of JSON from outside: values and levels are counted in the text, before it is parsed, as a parser would count them.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { exceededBound, JsonBoundError, JsonMeter, parseBoundedJson } from "#lib/untrusted/bounded-json.ts";

/** The values and levels of a parsed value. */
function measured(value: unknown): { values: number; depth: number } {
  if (typeof value !== "object" || value === null) return { values: 1, depth: 0 };
  const inner = Object.values(value).map(measured);
  return {
    values: inner.reduce((sum, { values }) => sum + values, 1),
    depth: inner.reduce((most, { depth }) => Math.max(most, depth), 0) + 1,
  };
}

const bounds = { values: 10, depth: 5 };
const wide = { values: 1_000_000, depth: 1000 };

describe("bounded JSON", () => {
  it("HTTP32 The counts of values and of nesting levels in a JSON text are those of the parsed value", () => {
    const layout = fc.constantFrom(undefined, 1, "\t", "\n \r");
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), layout, (value, space) => {
        const text = JSON.stringify(value, null, space);
        const { values, depth } = measured(JSON.parse(text));
        expect(exceededBound(text, { values, depth })).toBeNull();
        expect(exceededBound(text, { values: values - 1, depth })).toBe("values");
        if (depth > 0) expect(exceededBound(text, { values, depth: depth - 1 })).toBe("depth");
        expect(parseBoundedJson(text, wide)).toEqual(JSON.parse(text));
      }),
    );
  });

  it("HTTP32 A JSON text that arrives in pieces has the same counts as the whole text, wherever it is divided", () => {
    const keysOf = (value: unknown): number =>
      typeof value !== "object" || value === null
        ? 0
        : Object.values(value).reduce<number>(
            (sum, each) => sum + keysOf(each),
            Array.isArray(value) ? 0 : Object.keys(value).length,
          );
    const text = fc.oneof(fc.string({ unit: fc.constantFrom("\\", '"', "[", ",", "x", ":") }), fc.string());
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), text, fc.array(fc.nat(200)), (inner, string, cuts) => {
        const value = [inner, { [string]: string }];
        const json = JSON.stringify(value);
        const { values, depth } = measured(JSON.parse(json));
        const keys = keysOf(JSON.parse(json));
        const ends = [...cuts.filter((cut) => cut < json.length).toSorted((a, b) => a - b), json.length];
        const pieces = ends.map((end, at) => json.slice(at === 0 ? 0 : ends[at - 1], end));
        const read = (bounds: { values: number; depth: number; keys: number }) => {
          const meter = new JsonMeter(bounds);
          for (const piece of pieces) meter.read(piece);
          return meter.values;
        };
        expect(read({ values, depth, keys })).toBe(values);
        expect(() => read({ values: values - 1, depth, keys })).toThrow("values");
        expect(() => read({ values, depth: depth - 1, keys })).toThrow("levels deep");
        expect(() => read({ values, depth, keys: keys - 1 })).toThrow("keys");
      }),
    );
  });

  it.each([
    ['"[[[[,,,,"', 1, 0],
    ['["\\"[,,","\\\\",",\\\\\\","]', 4, 1],
    ['{"a,[{\\"":{}}', 2, 2],
    [" [ ] ", 1, 1],
    ["[\n[ ],{ } ]", 3, 2],
    ['""', 1, 0],
  ])("HTTP32 Characters inside a JSON string do not count as values or nesting levels (%s)", (text, values, depth) => {
    expect(exceededBound(text, { values, depth })).toBeNull();
    expect(exceededBound(text, { values: values - 1, depth })).toBe("values");
  });

  it.each([
    ["values", "[" + "1,".repeat(20)],
    ["values", '{"a":[' + '"x",'.repeat(20)],
    ["depth", "[".repeat(20)],
    ["depth", '{"a":'.repeat(20)],
    ["values", `[${"[],".repeat(11)}}`],
  ] as const)(
    "HTTP32 A text that exceeds the bound of %s is refused before it is parsed, also if it is not JSON (%s)",
    (bound, text) => {
      const thrown = thrownBy(() => parseBoundedJson(text, bounds));
      expect(thrown).toBeInstanceOf(JsonBoundError);
      expect(thrown).toMatchObject({ bound, limit: bounds[bound] });
    },
  );

  it.each(["", "[1 2 3]", '"', '"\\', "[1,", "{,}", "nul", "\u00a0[]", '["\\u"]'])(
    "HTTP32 The parser refuses a text that is not JSON (%j)",
    (text) => {
      expect(() => parseBoundedJson(text, wide)).toThrow(SyntaxError);
    },
  );
});

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (thrown) {
    return thrown;
  }
  return null;
}
