// Zod schemas as JSON Schema, in the two dialects we speak: the draft-7 object that function calling wants, and
// components of an OpenAPI 3.1 document.

import { z } from "zod";

/** A JSON Schema, or a part of one. */
export type JsonSchema = { [key: string]: unknown };

/** What schemas were made of that came as JSON Schema. */
const givenSchemas = new WeakMap<z.ZodType, JsonSchema>();

/**
 * Checks by a JSON Schema of an object: draft 4, 7 or 2020-12. `argumentsJsonSchema` gives it back word for word. Throws an
 * Error that says why for one that is none, or that asks for what cannot be checked here (`not`, `if`, references to
 * elsewhere).
 */
export function schemaOfJson(given: unknown): z.ZodType {
  // Only what JSON keeps: TypeBox marks its schemas with symbols.
  const schema: unknown = JSON.parse(JSON.stringify(given) ?? "null");
  if (!isJsonSchema(schema) || schema["type"] !== "object") {
    throw new Error('It must be a JSON Schema with "type": "object".');
  }
  const check = z.fromJSONSchema(schema);
  givenSchemas.set(check, schema);
  return check;
}

function isJsonSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Arguments as function calling wants them: an object schema of draft 7 without `$schema`, in which every object without
 * free keys is closed and nothing is said that goes without saying. Fields with a default need not be given; refinements
 * and what a schema does to a value have no words here. `null` stands for no arguments.
 */
export function argumentsJsonSchema(schema: z.ZodType | null): JsonSchema {
  if (schema === null) return { type: "object", properties: {}, additionalProperties: false };
  const given = givenSchemas.get(schema);
  if (given !== undefined) return structuredClone(given);
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: "draft-7", io: "input", override: tidy });
  return rest;
}

function tidy({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.type === "object" && jsonSchema.properties !== undefined) jsonSchema.additionalProperties ??= false;
  // Keys are text anyhow, and integers are safe ones.
  if (isPlainText(jsonSchema.propertyNames)) delete jsonSchema.propertyNames;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

function isPlainText(schema: unknown): boolean {
  return JSON.stringify(schema) === '{"type":"string"}';
}

/**
 * Named schemas as OpenAPI components; one that holds another named one refers to it. `input` describes what is accepted,
 * `output` what is answered.
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

/** How a document points to a component. */
export function componentReference(id: string): string {
  return `#/components/schemas/${id}`;
}
