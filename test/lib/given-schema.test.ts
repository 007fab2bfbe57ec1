// JSON Schemas of arguments: one from a user checks values, and models are sent it unchanged; zod schemas are converted.

import { describe, expect, it, vi } from "vitest";
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

describe("the JSON Schema of a zod schema", () => {
  it("A zod schema is converted to JSON Schema once, and each call returns a new copy", () => {
    const schema = z.object({ query: z.string() });
    // A conversion reads the metadata of each part.
    const metadata = vi.spyOn(z.globalRegistry, "get");
    const first = argumentsJsonSchema(schema);
    const reads = metadata.mock.calls.length;
    expect(reads).toBeGreaterThan(0);
    const expected = structuredClone(first);
    first["properties"] = {};
    expect(argumentsJsonSchema(schema)).toEqual(expected);
    expect(metadata).toHaveBeenCalledTimes(reads);
    metadata.mockRestore();
  });

  it.each([
    ["default", (of: () => string) => z.string().default(of)],
    ["prefault", (of: () => string) => z.string().prefault(of)],
    ["catch", (of: () => string) => z.string().catch(of)],
  ])("If a function returns the value of `%s`, each JSON Schema has a new value", (_name, fieldOf) => {
    let calls = 0;
    const schema = z.object({ filter: z.object({ day: fieldOf(() => `day ${(calls += 1)}`) }).optional() });
    const dayOf = () => JSON.stringify(argumentsJsonSchema(schema));
    const first = dayOf();
    expect(first).toMatch(/"default":"day \d+"/);
    expect(dayOf()).not.toBe(first);
  });
});
