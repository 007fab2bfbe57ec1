// The arguments of calls are checked by the schemas of the document, not by the reduced schema that a model receives.

import { describe, expect, it } from "vitest";

import type { JsonObject } from "#contract/json.ts";
import { noFaults } from "#core/ports/faults.ts";
import { checkedArguments, definedRunner } from "#flow/tool-source/defined-tools.ts";

import { contextOf, documentOf, toolsOf } from "./api-driver.ts";

const json = (schema: object): object => ({ content: { "application/json": { schema } } });

/** The tool of an operation with a body of this schema, and the check of its calls. */
async function operation(schema: object, components: object = {}, more: object = {}) {
  const document = documentOf(
    { "/a": { post: { operationId: "act", requestBody: { required: true, ...json(schema) }, ...more } } },
    { components: { schemas: components } },
  );
  const [tool] = await toolsOf(document);
  if (tool === undefined) throw new Error("The document has no operation.");
  const runner = definedRunner(tool, noFaults);
  return {
    sent: runner.spec.parameters,
    fits: (body: unknown): boolean => runner.check({ body } as JsonObject).ok,
    problem: (args: JsonObject): string => {
      const checked = runner.check(args);
      return checked.ok ? "" : checked.problem;
    },
  };
}

const nested = (depth: number, inner: object): object =>
  depth === 0 ? inner : { type: "object", properties: { a: nested(depth - 1, inner) } };
const nestedValue = (depth: number, inner: unknown): unknown =>
  depth === 0 ? inner : { a: nestedValue(depth - 1, inner) };

describe("what the reduced schema does not have", () => {
  it("A value deeper than the levels that a model receives is checked", async () => {
    const { fits, sent, problem } = await operation(nested(9, { type: "string", minLength: 2 }));
    expect(JSON.stringify(sent)).toContain("Its inner parts are left out here.");
    expect(fits(nestedValue(9, "ab"))).toBe(true);
    expect(fits(nestedValue(9, "a"))).toBe(false);
    expect(problem({ body: nestedValue(9, 7) as JsonObject })).toContain("body.a.a.a.a.a.a.a.a.a");
  });

  it("A schema that contains itself is checked at every depth", async () => {
    const node = {
      type: "object",
      properties: { next: { $ref: "#/components/schemas/Node" }, value: { type: "integer" } },
      required: ["value"],
    };
    const { fits } = await operation({ $ref: "#/components/schemas/Node" }, { Node: node });
    const list = (last: unknown): object =>
      Array.from({ length: 20 }).reduce<object>((next) => ({ value: 1, next }), { value: last });
    expect(fits(list(1))).toBe(true);
    expect(fits(list("1"))).toBe(false);
  });

  const values = Array.from({ length: 150 }, (_, at) => `value ${at}`);
  const pattern = `^(?:${Array.from({ length: 40 }, (_, at) => `word${at}`).join("|")})$`;
  it.each([
    ["more values than are sent", { enum: values }, "value 149", "value 150"],
    ["a long pattern", { type: "string", pattern }, "word39", "word40"],
    ["alternatives", { oneOf: [{ type: "integer" }, { type: "number", minimum: 10 }] }, 12, 3.5],
    [
      "two lists of alternatives",
      { anyOf: [{ type: "string" }, { type: "integer" }], oneOf: [{ minLength: 2 }, { maximum: 5 }] },
      "ab",
      true,
    ],
    ["a negation", { not: { type: "string" } }, 1, "a"],
    ["a negation of one alternative", { not: { $ref: "#/components/schemas/One" } }, 12, 3],
    ["items by position", { prefixItems: [{ type: "string" }, { type: "integer" }] }, ["a", 1], ["a", "b"]],
    ["a contained item", { type: "array", contains: { const: 7 } }, [1, 7], [1]],
    ["keys by pattern", { patternProperties: { "^x-": { type: "integer" } } }, { "x-a": 1 }, { "x-a": "1" }],
    ["a condition", { if: { required: ["a"] }, else: { required: ["b"] } }, { b: 2 }, { c: 1 }],
    ["null by `nullable`", { type: "string", nullable: true }, null, 1],
  ])("A schema with %s is checked by it", async (_, schema, right, wrong) => {
    const One = { oneOf: [{ type: "integer" }, { type: "number", minimum: 10 }] };
    const { fits } = await operation({ type: "object", properties: { v: schema }, required: ["v"] }, { One });
    expect([fits({ v: right }), fits({ v: wrong })]).toEqual([true, false]);
  });

  const kind = { type: "string" };
  const Card = { type: "object", properties: { kind, number: { type: "string" } }, required: ["kind"] };
  const Bank = { type: "object", properties: { kind, iban: { type: "string" } }, required: ["kind"] };
  const components = { Card, Bank };
  const both = [{ $ref: "#/components/schemas/Card" }, { $ref: "#/components/schemas/Bank" }];
  it.each([
    ["a discriminator", { oneOf: both, discriminator: { propertyName: "kind" } }, { kind: "Card", number: "1" }, {}],
    ["open objects", { oneOf: both }, { kind: "Bank", iban: "1" }, { kind: 1 }],
    ["formats", { oneOf: ["date", "date-time"].map((format) => ({ type: "string", format })) }, "2026-01-01", 1],
    ["kinds of numbers", { oneOf: [{ type: "integer" }, { type: "number" }] }, 1, "1"],
    ["items", { type: "array", items: { oneOf: [{ type: "integer" }, { type: "number" }] } }, [1], ["1"]],
  ])("A value that several alternatives of `oneOf` match because of %s is right", async (_, schema, right, wrong) => {
    const { fits } = await operation({ type: "object", properties: { v: schema }, required: ["v"] }, components);
    expect([fits({ v: right }), fits({ v: wrong })]).toEqual([true, false]);
  });

  it("A required property that only responses have is not required", async () => {
    const id = { type: "integer", readOnly: true };
    const { fits } = await operation({
      type: "object",
      properties: { id, name: { type: "string" } },
      required: ["id", "name"],
    });
    expect([fits({ name: "a" }), fits({})]).toEqual([true, false]);
  });

  it("References to nothing, to other documents and in circles allow every value", async () => {
    const components = { Loop: { $ref: "#/components/schemas/Loop" } };
    for (const $ref of ["#/components/schemas/None", "https://example.org/a.json", "#/components/schemas/Loop"]) {
      const { fits } = await operation({ $ref }, components);
      expect([fits({ a: 1 }), fits("a")]).toEqual([true, true]);
    }
  });

  it("Parameters are checked by their schemas, and arguments of no name are refused", async () => {
    const parameters = [{ name: "q", in: "query", schema: { type: "string", enum: values } }];
    const { problem } = await operation({ type: "object" }, {}, { parameters });
    expect(problem({ q: "value 3", body: {} })).toBe("");
    expect(problem({ q: "value 999", body: {} })).toContain("q");
    expect(problem({ other: 1, body: {} })).toContain("other");
  });
});

it("An operation that is called by its id is checked by the schemas of the document", async () => {
  const schema = nested(9, { type: "string" });
  const paths = Object.fromEntries(
    Array.from({ length: 50 }, (_, at) => [`/p${at}`, { post: { operationId: `op${at}`, requestBody: json(schema) } }]),
  );
  const context = contextOf({ checkArguments: checkedArguments });
  const tools = await toolsOf(documentOf(paths), { baseUrl: "https://api.example" }, context);
  const call = tools.find(({ name }) => name.endsWith("call_operation"));
  const body = nestedValue(9, 7) as JsonObject;
  const own = { id: "call", attempt: 1, signal: new AbortController().signal, progress: () => {} };
  await expect(call?.call({ operation: "op3", arguments: { body } }, own)).rejects.toThrow("do not match");
});
