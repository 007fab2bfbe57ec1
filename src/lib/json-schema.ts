// Converts zod schemas to JSON Schema in two dialects: draft 7 objects for function calling, and components of an OpenAPI 3.1
// document.

import { z } from "zod";

import { parseOwnJson } from "./untrusted/own-json.ts";

/** A JSON Schema, or a part of one. */
export type JsonSchema = { [key: string]: unknown };

/**
 * The JSON Schemas of zod schemas as texts: the one that a zod schema was created from, or its conversion. A conversion takes a tenth of a
 * millisecond or more, and each run needs the JSON Schemas of all its tools. A schema with a default is converted each time, because the
 * default may come from a function that returns another value each time.
 */
const jsonTexts = new WeakMap<z.ZodType, string>();

/**
 * Creates a zod schema from a JSON Schema of an object: draft 4, 7 or 2020-12. `argumentsJsonSchema` returns the original unchanged.
 * Throws an Error with the reason for an invalid schema, and for one with keywords that cannot be checked here (`not`, `if`, external
 * references).
 */
export function schemaOfJson(given: unknown): z.ZodType {
  // Only the JSON is kept, since TypeBox adds symbols to its schemas.
  const text = JSON.stringify(given) ?? "null";
  const schema: unknown = parseOwnJson(text);
  if (!isJsonSchema(schema) || schema["type"] !== "object") {
    throw new Error('It must be a JSON Schema with "type": "object".');
  }
  const check = z.fromJSONSchema(schema);
  jsonTexts.set(check, text);
  return check;
}

function isJsonSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The arguments of a tool as a JSON Schema for function calling: an object of draft 7 without `$schema` and without redundant keywords, in
 * which an object with `properties` has `additionalProperties: false`, unless its schema permits other keys. Fields with a default are
 * optional. Refinements and transforms are left out, because JSON Schema cannot express them. Null: the tool takes no arguments.
 */
export function argumentsJsonSchema(schema: z.ZodType | null): JsonSchema {
  if (schema === null) return { type: "object", properties: {}, additionalProperties: false };
  let text = jsonTexts.get(schema);
  if (text === undefined) {
    let hasDefault = false;
    const override: typeof tidy = (part) => {
      hasDefault ||= ["default", "prefault", "catch"].includes(part.zodSchema._zod.def.type);
      tidy(part);
    };
    const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: "draft-7", io: "input", override });
    text = JSON.stringify(rest);
    if (!hasDefault) jsonTexts.set(schema, text);
  }
  return parseOwnJson(text) as JsonSchema;
}

function tidy({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema; zodSchema: z.core.$ZodTypes }): void {
  if (jsonSchema.type === "object" && jsonSchema.properties !== undefined) jsonSchema.additionalProperties ??= false;
  // These keywords are always true: keys are texts, and integers are safe integers.
  if (isPlainText(jsonSchema.propertyNames)) delete jsonSchema.propertyNames;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

function isPlainText(schema: unknown): boolean {
  return JSON.stringify(schema) === '{"type":"string"}';
}

/**
 * Named schemas as OpenAPI components. A schema that contains another named one refers to it. `input` describes accepted values,
 * `output` returned ones.
 */
export function componentSchemas(
  named: ReadonlyMap<string, z.ZodType>,
  io: "input" | "output",
): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of named) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { io, uri: componentReference });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => {
      const { $schema: _, $id: __, ...rest } = schema;
      return [id, rest];
    }),
  );
}

/** The reference to a component in the document. */
export function componentReference(id: string): string {
  return `#/components/schemas/${id}`;
}
