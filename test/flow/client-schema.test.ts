// Random JSON Schemas that clients send.

import fc from "fast-check";
import { expect, it, onTestFinished, vi } from "vitest";

import type { JsonObject } from "#contract/json.ts";
import { clientSchema } from "#flow/setup/client-schema.ts";
import { googleParameters } from "#models/provider/google-schema.ts";

const seed = Date.now() % 2 ** 31;

function usable(schema: JsonObject | null) {
  const read = clientSchema(schema);
  if ("problem" in read) throw new Error(read.problem);
  return read;
}

const keyword = fc.constantFrom(
  ..."type properties items anyOf oneOf allOf not if then enum const required $ref $defs additionalProperties".split(
    " ",
  ),
  ..."minimum maxLength pattern format patternProperties prefixItems contains propertyNames default minItems".split(
    " ",
  ),
);
const scalar = fc.oneof(
  fc.constantFrom("object", "array", "string", "number", "#", "#/$defs/a", "#/properties/a", "(a+)+$", "date-time"),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
);
const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie("schema"), { maxLength: 3 }),
    fc.dictionary(fc.oneof(keyword, fc.constantFrom("a", "b")), tie("schema"), { maxKeys: 5 }),
  ),
}));
const root = fc.dictionary(keyword, schema, { maxKeys: 6 }) as fc.Arbitrary<JsonObject>;

it("SESSION20 A client tool's schema becomes an object schema without references, or is refused with a reason", () => {
  console.info(`SESSION20 seed ${seed}`);
  let usedAny = 0;
  fc.assert(
    fc.property(root, fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }), (given, args) => {
      const read = clientSchema(given);
      if ("problem" in read) {
        expect(read.problem).toMatch(/^\w/);
        return;
      }
      usedAny += 1;
      expect(read.parameters["type"]).toBe("object");
      // The strictest reader of schemas.
      expect(() => googleParameters(read.parameters)).not.toThrow();
      const checked = read.check(args as JsonObject);
      expect(checked.ok ? checked.args : typeof checked.problem).toEqual(checked.ok ? args : "string");
    }),
    { numRuns: 500, seed },
  );
  expect(usedAny).toBeGreaterThan(20);
});

it("SESSION20 A client tool's schema that contains itself is cut, one that uses a definition twice is whole, and arguments are checked at every depth", () => {
  const a = { type: "array", items: { $ref: "#/$defs/a" } };
  const { parameters, check } = usable({ properties: { a: { $ref: "#/$defs/a" } }, $defs: { a } });
  expect(parameters["properties"]).toEqual({
    a: {
      type: "array",
      items: { type: "array", items: { type: "array", description: "Its inner parts are left out here." } },
    },
  });
  expect(check({ a: [[[[]]]] }).ok).toBe(true);
  expect(check({ a: [[[[7]]]] })).toMatchObject({ ok: false, problem: expect.stringContaining("array") });
  // A schema that contains itself often is cut at its first copy.
  const names = Array.from({ length: 40 }, (_, at) => `k${at}`);
  const node = { type: "object", properties: Object.fromEntries(names.map((name) => [name, { $ref: "#" }])) };
  expect(Object.keys(usable(node).parameters["properties"] as JsonObject)).toEqual(names);
  const shared = {
    properties: { a: { $ref: "#/$defs/a" }, b: { $ref: "#/$defs/a" } },
    $defs: { a: { type: "string" } },
  };
  expect(usable(shared).parameters["properties"]).toEqual({ a: { type: "string" }, b: { type: "string" } });
});

it("SESSION20 A client tool's schema whose references multiply, or lead to other documents, is refused", () => {
  const doubled = Object.fromEntries(
    Array.from({ length: 12 }, (_, at) => [
      `d${at}`,
      { properties: { a: { $ref: `#/$defs/d${at + 1}` }, b: { $ref: `#/$defs/d${at + 1}` } } },
    ]),
  );
  const read = clientSchema({ properties: { a: { $ref: "#/$defs/d0" } }, $defs: { ...doubled, d12: {} } });
  expect("problem" in read ? read.problem : "").toBe("has more than 2000 schemas in it");
  for (const [$ref, problem] of [
    ["https://example.org/a.json", 'refers to "https://example.org/a.json"; only parts of the schema are taken'],
    ["#/$defs/none", 'refers to "#/$defs/none", which is not there'],
  ] as const) {
    expect(clientSchema({ properties: { a: { $ref } } })).toEqual({ problem });
  }
});

it("The model may send null for an argument that its schema describes as nullable, as OpenAPI 3.0 does", () => {
  const properties = { unit: { type: "string", enum: ["m"], nullable: true }, at: { type: "number" } };
  const { parameters, check } = usable({ type: "object", properties });
  expect(parameters["properties"]).toMatchObject({ unit: { type: ["string", "null"], enum: ["m", null] } });
  expect(check({ unit: null }).ok).toBe(true);
  expect(check({ unit: "km" })).toMatchObject({ ok: false });
  expect(check({ at: null })).toMatchObject({ ok: false });
});

it("A schema of a server that contains itself is cut at its second copy", () => {
  const circle = { properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { items: { $ref: "#/$defs/a" } } } };
  const read = clientSchema(circle, { tolerant: true });
  expect("problem" in read ? read.problem : read.parameters["properties"]).toEqual({
    a: { items: { items: { description: "Its inner parts are left out here." } } },
  });
});

it("SESSION20 A client tool's schema with a keyword of the wrong type is refused, and the error names its position", () => {
  const odd: [string, unknown][] = [
    ["type", "wat"],
    ["type", []],
    ["enum", "x"],
    ["required", [1]],
    ["description", {}],
    ["minLength", -1],
    ["maximum", "9"],
    ["multipleOf", 0],
  ];
  for (const [keyword, value] of odd) {
    const read = clientSchema({ type: "object", properties: { a: { [keyword]: value } } } as JsonObject);
    expect("problem" in read ? read.problem : "").toContain(`properties.a.${keyword}`);
  }
});

it("SESSION20 Arguments of a client tool are checked by every keyword of its schema, and are not changed", () => {
  const { check } = usable({
    type: "object",
    properties: {
      at: { $ref: "#/$defs/point" },
      unit: { enum: ["m", "km"] },
      name: { type: "string", maxLength: 3, pattern: "^[ab]", default: "x" },
      list: { type: "array", items: { type: ["integer", "null"] }, maxItems: 2 },
      free: { const: { deep: true } },
    },
    required: ["at"],
    additionalProperties: false,
    $defs: { point: { type: "object", properties: { x: { type: "number", minimum: 0 } }, required: ["x"] } },
  });
  const whole = { at: { x: 1, more: true }, unit: "km", name: "abc", list: [1, null], free: { deep: true } };
  expect(check(whole)).toEqual({ ok: true, args: whole });
  for (const [wrong, at] of [
    [{}, "at"],
    [{ at: { x: -1 } }, "at.x"],
    [{ at: { x: 1 }, unit: "mile" }, "unit"],
    [{ at: { x: 1 }, name: "abcd" }, "name"],
    [{ at: { x: 1 }, list: [1.5] }, "list.0"],
    [{ at: { x: 1 }, list: [1, 2, 3] }, "list"],
    [{ at: { x: 1 }, more: 1 }, "more"],
    [{ at: { x: 1 }, name: "cab" }, "name"],
    [{ at: { x: 1 }, free: { deep: 1 } }, "free"],
  ] as const) {
    const checked = check(wrong as JsonObject);
    expect(checked.ok ? "" : checked.problem).toContain(at);
  }
  expect(usable(null).check({})).toEqual({ ok: true, args: {} });
});

it("SESSION20 A model is sent the schema of a client tool with its references resolved", () => {
  const { parameters } = usable({
    $schema: "http://json-schema.org/draft-07/schema#",
    properties: { at: { $ref: "#/definitions/p", description: "Where" }, id: { type: "string", pattern: "^a" } },
    definitions: { p: { type: "object", description: "Some point" } },
  });
  expect(parameters).toEqual({
    type: "object",
    properties: { at: { type: "object", description: "Where" }, id: { type: "string", pattern: "^a" } },
  });
});

it.each<[string, (at: number) => JsonObject]>([
  // oxlint-disable-next-line unicorn/no-thenable -- It is a keyword of JSON Schema.
  ["conditions on one key", (at) => ({ if: { properties: { a: { const: at } } }, then: { required: [`b${at}`] } })],
  [
    "conditions with two branches",
    (at) => ({
      if: { properties: { a: { const: at } } },
      // oxlint-disable-next-line unicorn/no-thenable -- It is a keyword of JSON Schema.
      then: { required: [`b${at}`] },
      else: { properties: { a: { type: ["string", "number"], title: `t${at}` } } },
    }),
  ],
  ["alternatives for one key", (at) => ({ anyOf: [{ properties: { a: { minimum: at } } }, { required: [`b${at}`] }] })],
  [
    "alternatives with different texts for one key",
    (at) => ({
      anyOf: [{ properties: { a: { title: `${at}`, minimum: at } } }, { properties: { a: { maximum: -at } } }],
    }),
  ],
])("The schema that a model receives for sixty %s is not larger than some times the given one", (_what, part) => {
  const given: JsonObject = { type: "object", allOf: Array.from({ length: 60 }, (_, at) => part(at)) };
  const { parameters } = usable(given);
  expect(JSON.stringify(parameters).length).toBeLessThan(20 * JSON.stringify(given).length);
  expect(JSON.stringify(parameters)).toContain('"a"');
});

it("The addresses in a schema are not read if their hosts take long to read", () => {
  const lengths: number[] = [];
  class CountedUrl extends URL {
    constructor(address: string | URL, base?: string | URL) {
      super(address, base);
      if (/[^\x20-\x7e]/.test(String(address))) lengths.push(String(address).length);
    }
  }
  vi.stubGlobal("URL", CountedUrl);
  onTestFinished(() => void vi.unstubAllGlobals());
  const host = String.fromCharCode(...Array.from({ length: 5000 }, (_, at) => 0x4e00 + at));
  const properties = { a: { $id: `//${host}/x`, type: "string" }, b: { $id: "//müller.example/x", type: "number" } };
  const { check } = usable({ type: "object", properties });
  expect(lengths).toEqual([18]);
  expect(check({ a: 1 })).toMatchObject({ ok: false, isTooMuch: true });
});
