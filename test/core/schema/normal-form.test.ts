// The normal form of JSON Schemas: which target a reference has in each draft, what becomes of each keyword, and the bounds of the work.

import { describe, expect, it } from "vitest";

import type { JsonObject } from "#contract/json.ts";
import { readArguments } from "#core/schema/argument-form.ts";
import { UnusableSchema } from "#core/schema/resolve-schema.ts";

const form = (schema: unknown, tolerant = false): JsonObject => readArguments(schema as JsonObject, { tolerant });

/** The normal form of one argument. */
const argument = (schema: unknown, more: object = {}): unknown =>
  (form({ type: "object", properties: { a: schema }, ...more })["properties"] as JsonObject)["a"];

const text = { type: "string" };

/** The keyword `then`, which a literal object must not have, because it would look like a promise. */
const thenIt = (schema: object): object => Object.fromEntries(["then"].map((keyword) => [keyword, schema]));

describe("References", () => {
  it.for<[string, unknown, object]>([
    ["a pointer into $defs", { $ref: "#/$defs/t" }, { $defs: { t: text } }],
    ["a pointer into definitions", { $ref: "#/definitions/t" }, { definitions: { t: text } }],
    [
      "a pointer to a property of another name",
      { $ref: "#/properties/weird%20key" },
      { properties: { "weird key": text } },
    ],
    ["a pointer with a space", { $ref: "#/properties/weird key" }, { properties: { "weird key": text } }],
    ["a pointer with a slash and a tilde", { $ref: "#/$defs/x~1y~0z" }, { $defs: { "x/y~z": text } }],
    ["a pointer with a percent sign", { $ref: "#/$defs/50%" }, { $defs: { "50%": text } }],
    ["a pointer into a list", { $ref: "#/$defs/l/anyOf/1" }, { $defs: { l: { anyOf: [{}, text] } } }],
    ["a pointer to another place", { $ref: "#/components/schemas/t" }, { components: { schemas: { t: text } } }],
    ["an anchor", { $ref: "#t" }, { $defs: { t: { $anchor: "t", ...text } } }],
    ["an identifier that is a fragment", { $ref: "#t" }, { $defs: { t: { $id: "#t", ...text } } }],
    [
      "an identifier of draft 4",
      { $ref: "t.json" },
      { $schema: "http://json-schema.org/draft-04/schema#", definitions: { t: { id: "t.json", ...text } } },
    ],
    [
      "a relative identifier",
      { $ref: "inner/t.json" },
      { $id: "https://example.org/root.json", $defs: { t: { $id: "/inner/t.json", ...text } } },
    ],
    ["an absolute identifier", { $ref: "urn:uuid:1" }, { $defs: { t: { $id: "urn:uuid:1", ...text } } }],
    [
      "a pointer in a schema with an identifier",
      { $ref: "t.json" },
      { $defs: { t: { $id: "t.json", $ref: "#/$defs/own", $defs: { own: text } } } },
    ],
    ["a dynamic reference", { $dynamicRef: "#t" }, { $defs: { t: { $dynamicAnchor: "t", ...text } } }],
    ["several references in a row", { $ref: "#/$defs/s" }, { $defs: { s: { $ref: "#/$defs/t" }, t: text } }],
  ])("%s is replaced by its target", ([, reference, more]) => {
    const { properties = {}, ...rest } = more as { properties?: object };
    const read = form({ type: "object", ...rest, properties: { a: reference, ...properties } });
    expect((read["properties"] as JsonObject)["a"]).toEqual(text);
  });

  it("A recursive reference leads to the schema itself, and the second copy is cut", () => {
    const schema = { type: "object", properties: { name: text, next: { $recursiveRef: "#" } } };
    expect(form(schema, true)["properties"]).toEqual({
      name: text,
      next: {
        type: "object",
        properties: { name: text, next: { type: "object", description: "Its inner parts are left out here." } },
      },
    });
  });

  it("Keywords next to a reference apply too, except in drafts in which they have no effect", () => {
    const schema = { $ref: "#/$defs/t", minLength: 2, description: "Own words" };
    const $defs = { t: { ...text, maxLength: 5, description: "Words of the target" } };
    expect(argument(schema, { $defs })).toEqual({
      type: "string",
      minLength: 2,
      maxLength: 5,
      description: "Own words Words of the target",
    });
    expect(argument(schema, { $schema: "http://json-schema.org/draft-07/schema#", $defs })).toEqual({
      type: "string",
      maxLength: 5,
      description: "Own words",
    });
  });

  it("A chain of references that leads to itself is cut", () => {
    const $defs = { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } };
    const read = form({ type: "object", properties: { a: { $ref: "#/$defs/a" } }, $defs }, true);
    expect(read["properties"]).toEqual({ a: { description: "Its inner parts are left out here." } });
  });
});

describe("Keywords", () => {
  it.for<[string, unknown, unknown]>([
    [
      "exclusive bounds of draft 4",
      { minimum: 1, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: false },
      { exclusiveMinimum: 1, maximum: 5 },
    ],
    ["a list in items", { items: [text], additionalItems: false }, { prefixItems: [text], maxItems: 1 }],
    ["dependencies", { dependencies: { a: ["b"] } }, { dependentRequired: { a: ["b"] } }],
    ["nullable", { type: "string", nullable: true, enum: ["a"] }, { type: ["string", "null"], enum: ["a", null] }],
    [
      "nullable without a type",
      { nullable: true, anyOf: [text, { type: "null" }] },
      { anyOf: [text, { type: "null" }] },
    ],
    ["an example", { example: 1 }, { examples: [1] }],
    ["the schema true", true, {}],
    ["a list of types", { type: ["integer", "number", "number"] }, { type: "number" }],
    ["values of another type", { type: "string", enum: ["a", "a", 1] }, { type: "string", enum: ["a"] }],
    ["alternatives of one value each", { oneOf: [{ const: "a" }, { const: "b" }] }, { enum: ["a", "b"] }],
    [
      "one alternative",
      { type: "object", anyOf: [{ properties: { b: text } }] },
      { type: "object", properties: { b: text } },
    ],
    [
      "alternatives that are impossible",
      { type: "string", anyOf: [{ type: "number" }, { minLength: 1 }] },
      { type: "string", minLength: 1 },
    ],
    [
      "exactly one of overlapping alternatives",
      { oneOf: [text, { minLength: 1 }] },
      { anyOf: [text, { minLength: 1 }], description: "Exactly one of the alternatives fits." },
    ],
    ["not", { not: text }, { description: 'Must not fit the JSON Schema {"type":"string"}.' }],
    [
      "if",
      { if: text, ...thenIt({ minLength: 1 }) },
      { description: 'If it fits the JSON Schema {"type":"string"}, it also follows the JSON Schema {"minLength":1}.' },
    ],
    [
      "contains",
      { contains: text, minContains: 2, maxContains: 3 },
      { description: 'At least 2 and at most 3 of the items fit the JSON Schema {"type":"string"}.' },
    ],
    [
      "dependentSchemas",
      { dependentSchemas: { a: { required: ["b"] } } },
      { description: 'With the key "a", the object follows the JSON Schema {"required":["b"]}.' },
    ],
    [
      "contentSchema",
      { contentMediaType: "application/json", contentSchema: text },
      { contentMediaType: "application/json", description: 'The content follows the JSON Schema {"type":"string"}.' },
    ],
    [
      "closed parts",
      { allOf: [{ properties: { b: text } }, { properties: { c: text } }], unevaluatedProperties: false },
      { properties: { b: text, c: text }, additionalProperties: false },
    ],
    [
      "closed alternatives",
      { anyOf: [{ required: ["b"] }, { required: ["c"] }], unevaluatedProperties: false },
      { anyOf: [{ required: ["b"] }, { required: ["c"] }], description: "No other keys are allowed." },
    ],
    [
      "unevaluatedItems",
      { unevaluatedItems: text },
      { description: 'Each other item follows the JSON Schema {"type":"string"}.' },
    ],
    ["an invalid pattern", { pattern: "(" }, { description: "Must match /(/." }],
    ["propertyNames without a name", { propertyNames: false }, { maxProperties: 0 }],
    [
      "annotations",
      { title: "T", deprecated: true, readOnly: true, writeOnly: false, default: 1, contentEncoding: "base64" },
      { title: "T", deprecated: true, readOnly: true, writeOnly: false, default: 1, contentEncoding: "base64" },
    ],
    [
      "merged bounds",
      {
        allOf: [
          { minimum: 1, multipleOf: 2 },
          { minimum: 3, multipleOf: 6 },
        ],
      },
      { minimum: 3, multipleOf: 6 },
    ],
    [
      "two patterns",
      { allOf: [{ pattern: "^a" }, { pattern: "b$" }] },
      { pattern: "^a", description: "Must match /b$/." },
    ],
    [
      "two lists of alternatives",
      { allOf: [{ anyOf: [text, { type: "null" }] }, { anyOf: [{ minLength: 1 }, { maxLength: 0 }] }] },
      {
        anyOf: [text, { type: "null" }],
        description: 'Fits one of the JSON Schemas {"minLength":1}, {"maxLength":0}.',
      },
    ],
    [
      "a closed part",
      { allOf: [{ properties: { b: {} }, additionalProperties: false }, { properties: { b: text, c: text } }] },
      { properties: { b: text }, additionalProperties: false },
    ],
  ])("The keyword or the form %s is kept, translated or described", ([, schema, expected]) => {
    expect(argument(schema)).toEqual(expected);
  });

  it("A rule that no value fits makes its property impossible, and a required one makes the schema unusable", () => {
    for (const never of [
      false,
      { enum: [1], type: "string" },
      { allOf: [text, { type: "number" }] },
      { anyOf: [false] },
      { not: {} },
    ]) {
      expect(form({ type: "object", properties: { a: never } })).toEqual({
        type: "object",
        properties: {},
        description: 'The key "a" must not be given.',
      });
      const required = { type: "object", properties: { a: never }, required: ["a"] };
      expect(() => form(required)).toThrow(new UnusableSchema("accepts no arguments"));
    }
  });
});

describe("Alternatives at the root", () => {
  it("A property that one of several open alternatives restricts may have any value in the others", () => {
    const one = { properties: { kind: { const: "a" }, x: text }, required: ["kind", "x"] };
    const two = { properties: { kind: { const: "b" } }, required: ["kind"] };
    expect(form({ type: "object", oneOf: [one, two] })["properties"]).toEqual({
      kind: { enum: ["a", "b"] },
      x: { anyOf: [text, {}] },
    });
    const closed = [one, two].map((each) => ({ ...each, additionalProperties: false }));
    expect(form({ type: "object", oneOf: closed })).toMatchObject({
      properties: { kind: { enum: ["a", "b"] }, x: text },
      additionalProperties: false,
    });
  });

  it("The descriptions of the schema and of its alternatives are kept", () => {
    const branches = [
      { title: "By id", properties: { id: text }, required: ["id"] },
      { description: "By name", properties: { name: text }, required: ["name"] },
    ];
    const { description } = form({ type: "object", description: "Finds a user.", anyOf: branches });
    expect(description).toBe(
      'Finds a user. At least one of these alternatives applies: (1) By id: needs "id"; (2) By name: needs "name".',
    );
  });
});

describe("Bounds", () => {
  const doubled = (levels: number): JsonObject => ({
    properties: { a: { $ref: "#/$defs/d0" } },
    $defs: {
      ...Object.fromEntries(
        Array.from({ length: levels }, (_, at) => {
          const next = { $ref: `#/$defs/d${at + 1}` };
          return [`d${at}`, { type: "object", properties: { a: next, b: next } }];
        }),
      ),
      [`d${levels}`]: {},
    },
  });

  it("A schema whose references multiply is refused from a client, and loses its innermost parts from a server", () => {
    expect(() => form(doubled(12))).toThrow("has more than 2000 schemas in it");
    const read = JSON.stringify(form(doubled(12), true));
    expect(read).toContain("Its inner parts are left out here.");
    expect(read.length).toBeLessThan(64 * 1024);
  });

  it("Thousands of alternatives at the root are described in words", () => {
    const anyOf = Array.from({ length: 900 }, (_, at) => ({ properties: { [`k${at}`]: text }, required: [`k${at}`] }));
    const { properties, description } = form({ type: "object", properties: { a: text }, anyOf });
    expect(properties).toEqual({ a: text });
    expect(description).toMatch(/^At least one of these alternatives applies: \(1\) needs "k0"; .* and 880 more\.$/);
  });
});
