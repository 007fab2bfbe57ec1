// The bound of the work of a check by a JSON Schema: hostile schemas with hostile values, counted in comparisons.

import { describe, expect, it } from "vitest";

import type { Json, JsonObject } from "#contract/json.ts";
import { checkBySchema } from "#core/schema/check-value.ts";
import { schemaBounds } from "#core/schema/schema-work.ts";

const list = <T>(length: number, of: (at: number) => T): T[] => Array.from({ length }, (_, at) => of(at));
const numbers = list(4000, (at) => at);
const nest = (depth: number, inner: Json, of: (value: Json) => Json): Json => {
  let value = inner;
  for (let at = 0; at < depth; at += 1) value = of(value);
  return value;
};
const named = <T>(length: number, of: (at: number) => T): { [name: string]: T } =>
  Object.fromEntries(list(length, (at) => [`name${at}`, of(at)]));

/** A text of different characters outside of ASCII. */
const characters = (length: number) => list(length, (at) => String.fromCharCode(0x4e00 + at)).join("");

/** Alternatives of which only the last matches a text of one character. */
const alternatives = (length: number): Json[] => list(length, (at) => ({ type: "string", minLength: length - at }));
const texts = Array<Json>(40_000).fill("x");

/** Checks that end at the bound, because neither the schema nor the value is right or wrong before. */
const tooMuch: [string, JsonObject, Json][] = [
  ["alternatives of anyOf", { items: { anyOf: alternatives(1800) } }, texts],
  ["alternatives of oneOf", { items: { oneOf: [...alternatives(1800), { type: "number" }] } }, texts],
  ["schemas of allOf that double", nest(40, { type: "object" }, (a) => ({ allOf: [a, a] })) as JsonObject, {}],
  // oxlint-disable-next-line unicorn/no-thenable -- It is a keyword of JSON Schema.
  ["conditions that double", nest(40, true, (a) => ({ if: a, then: a, else: a })) as JsonObject, {}],
  ["doubled negations", nest(40, true, (a) => ({ not: { not: { allOf: [a, a] } } })) as JsonObject, {}],
  ["a reference to itself", { $ref: "#" }, 1],
  ["references to one another", { $ref: "#/$defs/a", $defs: { a: { allOf: [{ $ref: "#" }, { $ref: "#" }] } } }, 1],
  ["a reference to itself in every alternative", { anyOf: list(100, () => ({ $ref: "#" })) }, 1],
  ["a negated reference to itself", { not: { $ref: "#" } }, 1],
  ["a dynamic reference to itself", { $dynamicAnchor: "a", $dynamicRef: "#a" }, 1],
  ["a recursive reference to itself", { $recursiveAnchor: true, $recursiveRef: "#" }, 1],
  [
    "patterns for names",
    { patternProperties: Object.fromEntries(list(300, (at) => [`^n.*${at}$`, true])) },
    named(20_000, (at) => at),
  ],
  [
    "required names",
    { items: { not: { required: list(2000, (at) => `r${at}`) }, required: list(1000, () => "a") } },
    list(9000, () => ({ a: 1 })),
  ],
  [
    "dependent schemas",
    { items: { dependentSchemas: named(500, () => ({ minProperties: 1 })) } },
    list(9000, () => ({ a: 1 })),
  ],
  [
    "items that are contained",
    { items: { contains: { const: 0 } } },
    list(2000, () => [...list(2000, (at) => at + 1), 0]),
  ],
  [
    "unevaluated properties",
    { allOf: list(900, () => ({ properties: named(200, () => true) })), unevaluatedProperties: false },
    named(2000, () => 1),
  ],
  ["names of properties", { allOf: list(900, () => ({ propertyNames: { maxLength: 100 } })) }, named(9000, () => 1)],
  ["equal items", { allOf: list(900, () => ({ uniqueItems: true })) }, list(9000, (at) => at)],
  ["exact divisions", { items: { multipleOf: 1e-300 } }, list(90_000, () => 1e300)],
  ["a long text and a large pattern", { pattern: "([a-z]{1,30}){1,30}!|x" }, `${"ab ".repeat(90_000)}x`],
  ["compiled patterns", { anyOf: list(900, (at) => ({ pattern: `[a-z]{900}${at}` })) }, "x"],
  ["long texts", { items: { allOf: list(500, () => ({ minLength: 150_000 })) } }, list(20, () => "x".repeat(200_000))],
  ["values inside one another", { items: { $ref: "#" } }, nest(2000, [], (a) => [a])],
  ["parts of allOf that are no schemas", { items: { allOf: list(20_000, () => 1) } }, numbers],
  [
    "parts of anyOf that are no schemas",
    { items: { anyOf: list(20_000, () => 1), unevaluatedProperties: true } },
    numbers,
  ],
  ["an identifier with a long international host", { $id: `//${characters(20_000)}/x` }, 1],
  ["references with an international host", { items: { $dynamicRef: `//${characters(1000)}/x` } }, numbers],
  ["references below a long identifier", { $id: `/${"a".repeat(9000)}/`, items: { $dynamicRef: "b" } }, numbers],
  [
    "patterns with categories of characters",
    { allOf: list(60, (at) => ({ pattern: `[${String.raw`\p{L}\p{M}`.repeat(30)}${at}]` })) },
    "a",
  ],
  [
    "long texts inside many lists",
    { items: { $ref: "#" }, uniqueItems: true },
    nest(60, "x".repeat(2_000_000), (a) => [1, a]),
  ],
  [
    "a long text inside many lists that is compared with an object",
    { enum: [{}] },
    nest(600, "x".repeat(200_000), (a) => [1, a]),
  ],
  ["equal values inside one another", { uniqueItems: true }, [nest(5000, [], (a) => [a])]],
];

describe("a check that needs too much work", () => {
  it.for(tooMuch)("The check of %s ends at the bound of its work, without a verdict", ([, schema, value]) => {
    const verdict = checkBySchema(schema, value);
    expect(verdict).toMatchObject({ ok: false, isTooMuch: true });
    expect(verdict.ok ? "" : verdict.problem).toMatch(
      /^The check needs more than (500000 comparisons|600 schemas inside)/,
    );
  });

  it("The error names the number of alternatives and values, and what to do", () => {
    const schema = { properties: { a: { items: { anyOf: alternatives(1500) } } } };
    const verdict = checkBySchema(schema, { a: texts });
    expect(verdict.ok ? "" : verdict.problem).toMatch(
      /^The check needs more than 500000 comparisons \(1500 alternatives for each of \d+ values and more\); it ended at a\.\d+\. Use a simpler schema or fewer values\.$/,
    );
  });

  it("The same check takes the same number of comparisons each time", () => {
    const schema = { items: { anyOf: [{ pattern: "^a" }, { type: "number" }] }, uniqueItems: true };
    const value = ["a", 1, { a: 1 }];
    const first = checkBySchema(schema, value).comparisons;
    expect([first > 10, checkBySchema(schema, value).comparisons]).toEqual([true, first]);
    expect(checkBySchema(schema, value, { comparisons: first, depth: 10 }).ok).toBe(true);
    expect(checkBySchema(schema, value, { comparisons: first - 1, depth: 10 })).toMatchObject({ isTooMuch: true });
    expect(checkBySchema(schema, [1, 2], { comparisons: 5, depth: 10 })).toMatchObject({ isTooMuch: true });
  });
});

describe("a check that needs little work", () => {
  it.for<[string, JsonObject, Json, boolean, number]>([
    ["a list with 100,000 wrong items", { items: { type: "string" } }, list(100_000, (at) => at), false, 101_000],
    ["numbers against 1,800 alternatives for texts", { items: { anyOf: alternatives(1800) } }, numbers, false, 120_000],
    ["100,000 right items", { items: { type: "number", minimum: 0 } }, list(100_000, (at) => at), true, 410_000],
    [
      "4,000 values in an enum of 10,000 objects",
      { items: { enum: list(10_000, (a) => ({ a })) } },
      list(4000, (a) => ({ a })),
      true,
      100_000,
    ],
    ["4,000 values in an enum of 10,000 numbers", { items: { enum: list(10_000, (at) => at) } }, numbers, true, 30_000],
    ["20,000 different items", { uniqueItems: true }, list(20_000, (at) => at), true, 21_000],
    [
      "objects with a kind among 100 alternatives",
      {
        items: {
          oneOf: list(100, (at) => ({
            properties: { text: { type: "string" }, kind: { const: `k${at}` } },
            required: ["kind"],
          })),
        },
      },
      list(300, (at) => ({ text: "a", kind: `k${at % 100}` })),
      true,
      300_000,
    ],
    [
      "a schema with 20,000 unused properties",
      { properties: named(20_000, () => ({ allOf: [true] })) },
      { name7: 1 },
      true,
      21_000,
    ],
    ["values 250 levels deep", { items: { $ref: "#" } }, nest(250, [], (a) => [a]), true, 3000],
    [
      "a text of 1,000,000 characters",
      { minLength: 1, maxLength: 1_000_000, type: "string" },
      "x".repeat(1_000_000),
      true,
      16_000,
    ],
  ])("The check of %s has a verdict", ([, schema, value, ok, most]) => {
    const verdict = checkBySchema(schema, value);
    expect(verdict).toMatchObject(ok ? { ok } : { ok, isTooMuch: false });
    expect(verdict.comparisons).toBeLessThan(most);
  });

  it("The bounds are those of the documents", () => {
    expect(schemaBounds).toEqual({ comparisons: 500_000, depth: 600 });
  });
});
