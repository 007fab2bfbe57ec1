// A JSON Schema from a user: it checks values, and models are sent it unchanged.

import { expect, it } from "vitest";
import { z } from "zod";

import { argumentsJsonSchema, schemaOfJson } from "#lib/json-schema.ts";

const given = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  title: "Search",
  properties: {
    query: { type: "string", minLength: 2, description: "What to look for." },
    limit: { type: "integer", minimum: 1, default: 10 },
    tag: { $ref: "#/$defs/tag" },
  },
  required: ["query"],
  $defs: { tag: { enum: ["old", "new", null] } },
};

it("ENTRY12 The JSON Schema of an in-process tool is returned as it was given, as a new copy each time", () => {
  const schema = schemaOfJson(given);
  const emitted = argumentsJsonSchema(schema);
  expect(emitted).toEqual(given);
  emitted["title"] = "Other";
  expect(argumentsJsonSchema(schema)).toEqual(given);
});

it("ENTRY12 The JSON Schema of an in-process tool accepts exactly the values that it declares", () => {
  const schema = schemaOfJson(given);
  expect(schema.safeParse({ query: "owls", tag: "new" }).data).toEqual({ query: "owls", tag: "new", limit: 10 });
  for (const wrong of [
    {},
    { query: "o" },
    { query: "owls", limit: 0 },
    { query: "owls", tag: "odd" },
    [],
    "owls",
    null,
  ]) {
    expect(schema.safeParse(wrong).success).toBe(false);
  }
});

it("ENTRY12 The JSON Schema of an in-process tool is returned without symbols, which TypeBox adds", () => {
  const schema = schemaOfJson({ ...given, [Symbol.for("TypeBox.Kind")]: "Object" });
  expect(Reflect.ownKeys(argumentsJsonSchema(schema)).filter((key) => typeof key === "symbol")).toEqual([]);
});

it("A change of a tool's JSON Schema by its user does not change the next one, also if the tool has a zod schema", () => {
  const schema = z.object({ query: z.string() });
  const first = argumentsJsonSchema(schema);
  const expected = structuredClone(first);
  first["properties"] = {};
  expect(argumentsJsonSchema(schema)).toEqual(expected);
});
