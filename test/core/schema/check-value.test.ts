// The check of a value by a JSON Schema: the keywords of all drafts, and the texts of problems.

import { validate } from "@cfworker/json-schema";
import type { Schema } from "@cfworker/json-schema";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Json, JsonObject } from "#contract/json.ts";
import { checkBySchema } from "#core/schema/check-value.ts";

const seed = Number(process.env["SCHEMA_SEED"] ?? Date.now() % 2 ** 31);

const names = fc.constantFrom("a", "b", "c", "ab");
const value = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(null, true, false, 0, 1, 2, 3, 1.5, -1, "", "a", "ab", "abc", "😀"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(names, tie("value"), { maxKeys: 3 }) as fc.Arbitrary<JsonObject>,
  ),
})).value;

/** Schemas with each keyword. References lead to the definitions of `root`. */
const schema = fc.letrec<{ schema: JsonObject | boolean; schemas: Json[] }>((tie) => {
  const one = tie("schema");
  const byName = (keys: fc.Arbitrary<string>) => fc.dictionary(keys, one, { maxKeys: 2 });
  const count = fc.nat({ max: 3 });
  const type = fc.constantFrom("object", "array", "string", "number", "integer", "boolean", "null");
  const keywords = {
    type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
    const: value,
    enum: fc.array(value, { minLength: 1, maxLength: 3 }),
    minimum: count,
    maximum: count,
    exclusiveMinimum: count,
    exclusiveMaximum: count,
    multipleOf: fc.constantFrom(1, 2, 0.5),
    minLength: count,
    maxLength: count,
    pattern: fc.constantFrom("^a", "b$", "[ab]c?", "^.$"),
    items: one,
    prefixItems: tie("schemas"),
    contains: one,
    minContains: count,
    maxContains: count,
    minItems: count,
    maxItems: count,
    uniqueItems: fc.boolean(),
    unevaluatedItems: one,
    properties: byName(names),
    patternProperties: byName(fc.constantFrom("^a", "b$")),
    additionalProperties: one,
    propertyNames: one,
    required: fc.uniqueArray(names, { maxLength: 2 }),
    minProperties: count,
    maxProperties: count,
    dependentRequired: fc.dictionary(names, fc.uniqueArray(names, { maxLength: 2 }), { maxKeys: 2 }),
    dependentSchemas: byName(names),
    unevaluatedProperties: one,
    allOf: tie("schemas"),
    anyOf: tie("schemas"),
    oneOf: tie("schemas"),
    not: one,
    if: one,
    // oxlint-disable-next-line unicorn/no-thenable -- It is a keyword of JSON Schema.
    then: one,
    else: one,
    $ref: fc.constantFrom("#/$defs/a", "#/$defs/b", "#b"),
  };
  const single = Object.entries(keywords).map(([name, values]) =>
    (values as fc.Arbitrary<Json>).map((given): JsonObject => ({ [name]: given })),
  );
  return {
    schemas: fc.array(one, { minLength: 1, maxLength: 3 }) as fc.Arbitrary<Json[]>,
    schema: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.boolean(),
      fc
        .array(fc.oneof(...single), { minLength: 1, maxLength: 4 })
        .map((parts) => Object.assign({}, ...parts) as JsonObject),
    ),
  };
}).schema;

const root = fc
  .tuple(
    schema.filter((one) => typeof one === "object"),
    schema,
    schema,
  )
  .map(([own, a, b]) => ({
    ...(own as JsonObject),
    $defs: { a, b: typeof b === "object" ? { ...b, $anchor: "b" } : { $anchor: "b" } },
  }));

/** The verdict of another validator; null if it does not end. */
function reference(given: JsonObject, against: Json): boolean | null {
  try {
    return validate(against, structuredClone(given) as Schema, "2020-12").valid;
  } catch (thrown) {
    if (thrown instanceof RangeError) return null;
    throw thrown;
  }
}

describe("the keywords", () => {
  it("The check of a random schema has the verdict of another validator", () => {
    console.info(`SCHEMA_SEED ${seed}`);
    const verdicts = { true: 0, false: 0 };
    fc.assert(
      fc.property(root, fc.array(value, { minLength: 1, maxLength: 5 }), (given, values) => {
        for (const each of values) {
          const expected = reference(given, each);
          if (expected === null) continue;
          verdicts[`${expected}`] += 1;
          expect({ each, ok: checkBySchema(given, each).ok }).toEqual({ each, ok: expected });
        }
      }),
      { numRuns: 1500, seed },
    );
    expect(Math.min(verdicts.true, verdicts.false)).toBeGreaterThan(300);
  });

  it.for<[string, JsonObject, Json[], Json[]]>([
    ["exact decimals", { multipleOf: 0.01 }, [0.07, 19.99, 1.1, 4.35, 0, -0.29], [0.075, 1e-7]],
    ["multiples of huge and tiny numbers", { multipleOf: 1e-7 }, [3e-7, 1e21, 2 ** 53], [3.5e-7]],
    ["an integer without the range of safe integers", { type: "integer", multipleOf: 3 }, [3, 3e300], [1e300, 1.5]],
    ["characters instead of units", { minLength: 2, maxLength: 2 }, ["ab", "😀😀", "😀a"], ["😀", "abc"]],
    [
      "names of the prototype",
      { properties: { constructor: { type: "string" } } },
      [{}, { constructor: "x" }],
      [{ constructor: 1 }],
    ],
    ["required names of the prototype", { required: ["toString"] }, [{ toString: 1 }], [{}]],
    [
      "the name __proto__",
      JSON.parse('{"properties":{"__proto__":{"type":"string"}}}') as JsonObject,
      [{}],
      [JSON.parse('{"__proto__":1}') as Json],
    ],
    ["an unexpected __proto__", { additionalProperties: false }, [{}], [JSON.parse('{"__proto__":1}') as Json]],
    ["flags of draft 4", { minimum: 1, exclusiveMinimum: true }, [2], [1]],
    ["a list of items and the others", { items: [{ type: "string" }], additionalItems: false }, [["a"]], [["a", 1]]],
    ["dependencies", { dependencies: { a: ["b"], c: { required: ["d"] } } }, [{ a: 1, b: 1 }], [{ a: 1 }, { c: 1 }]],
    [
      "a reference into a name with an escape",
      { $ref: "#/$defs/a%20~1~0", $defs: { "a /~": { type: "null" } } },
      [null],
      [1],
    ],
    [
      "a recursive schema",
      { type: "object", properties: { a: { $ref: "#" } }, additionalProperties: false },
      [{ a: { a: {} } }],
      [{ a: { b: {} } }],
    ],
    ["a constant object", { const: { a: [1, { b: 2 }] } }, [{ a: [1, { b: 2 }] }], [{ a: [1, { b: 3 }] }, "x"]],
    [
      "equal objects in another order",
      { uniqueItems: true },
      [[1, "1", true, [1]]],
      [
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      ],
    ],
    ["a pattern of JavaScript", { pattern: "^\\s\\u00e9[\\S\\s]$" }, ["\u00a0é\n"], ["xé\n"]],
    ["keywords of a later draft", { $schema: "http://json-schema.org/draft-04/schema#", const: 1 }, [1, 2], []],
    ["a keyword with an invalid value", { type: "any", minLength: "2", required: true, properties: [] }, [1, {}], []],
  ])("The check follows the specification for %s", ([, given, right, wrong]) => {
    for (const one of right) expect({ one, ok: checkBySchema(given, one).ok }).toEqual({ one, ok: true });
    for (const one of wrong) expect({ one, ok: checkBySchema(given, one).ok }).toEqual({ one, ok: false });
  });

  it("A value is refused only for what can be checked, also inside `not` and alternatives", () => {
    for (const unknown of [{ pattern: "^(?!x)" }, { $ref: "https://schemas.example/other.json" }]) {
      for (const given of [
        unknown,
        { not: unknown },
        { oneOf: [unknown, { type: "string" }] },
        { anyOf: [unknown, false] },
        // oxlint-disable-next-line unicorn/no-thenable -- It is a keyword of JSON Schema.
        { if: unknown, then: false },
        { propertyNames: unknown },
      ]) {
        expect({ given, ok: checkBySchema(given as JsonObject, "x").ok }).toEqual({ given, ok: true });
      }
      expect(checkBySchema({ allOf: [unknown, { type: "number" }] }, "x").ok).toBe(false);
    }
    const named = { patternProperties: { "^(?!x)": { type: "string" } }, additionalProperties: false };
    expect(checkBySchema(named, { a: 1 }).ok).toBe(true);
    expect(checkBySchema({ $ref: "other.json", unevaluatedProperties: false }, { a: 1 }).ok).toBe(true);
  });
});

describe("the problems", () => {
  const problem = (given: JsonObject | boolean, each: Json): string => {
    const verdict = checkBySchema(given, each);
    return verdict.ok ? "" : verdict.problem;
  };

  it("A problem names the path, what is expected and what was found", () => {
    const given: JsonObject = {
      properties: {
        list: { items: { type: "integer", maximum: 5 } },
        unit: { enum: ["m", "km"] },
        name: { maxLength: 3 },
        of: { anyOf: [{ type: "string" }, { required: ["id"], properties: { id: { type: "number" } } }] },
      },
      required: ["at"],
      additionalProperties: false,
    };
    const each = { list: [1, "2", 9], unit: "mile", name: "long", of: { id: "x" }, more: null };
    expect(problem(given, each).split("; ")).toEqual([
      "at: is required, but missing",
      'unit: has to be one of "m", "km", found string "mile"',
      'list.1: has to be integer, found string "2"',
      "list.2: has to be less than or equal to 5, found 9",
      "name: has to have at most 3 characters, found 4",
      "of: matches none of 2 alternatives: (1) has to be string, found an object",
      '(2) id: has to be number, found string "x"',
      "more: is not allowed",
    ]);
  });

  it("At most ten problems are reported, and their text is bounded", () => {
    const many = problem({ items: { type: "string" } }, Array<Json>(90_000).fill(1));
    expect(many.split("; ")).toHaveLength(10);
    const long = "x".repeat(200_000);
    const texts = [
      problem({ enum: Array.from({ length: 5000 }, (_, at) => `${at} ${long.slice(0, 500)}`) }, long),
      problem({ additionalProperties: false }, { [long]: 1, [`${long}y`]: 2 }),
      problem({ required: [long, `${long}y`] }, {}),
      problem({ const: long }, `${long}y`),
      problem({ pattern: `^${"y".repeat(900)}` }, long.slice(0, 500)),
    ];
    for (const text of texts) expect([text === "", text.length < 5000]).toEqual([false, true]);
  });
});
