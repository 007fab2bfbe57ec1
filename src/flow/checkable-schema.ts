// Reduces a client's JSON Schema to the part against which a model's arguments are checked: types, fields, ranges and lengths. Keywords
// with a regular expression, and keywords that zod interprets differently, are left out, so that no valid arguments are refused.

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";

const counts = new Set(["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"]);
const bounds = new Set(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]);
const lists = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);

/** Returns the reduced schema. Contract: `schema` has no references, its keywords have valid values, and its depth is bounded. */
export function checkableSchema(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]): [string, Json][] => {
      const kept = checkableValue(key, value, schema);
      return kept === undefined ? [] : [[key, kept]];
    }),
  );
}

function checkableValue(key: string, value: Json, { patternProperties, enum: values }: JsonObject): Json | undefined {
  if (key === "type" || key === "required" || counts.has(key)) return value;
  if (bounds.has(key)) return typeof value === "number" ? value : undefined;
  if (lists.has(key)) return Array.isArray(value) && value.length > 0 ? value.map(inner) : undefined;
  if (key === "enum") return isPlainList(value) ? value : undefined;
  if (key === "const") return isPlain(value) && values === undefined ? value : undefined;
  if (key === "items") return Array.isArray(value) ? undefined : inner(value);
  // `additionalProperties` must not refuse a field that matches one of `patternProperties`, so it is left out next to them.
  if (key === "additionalProperties") return patternProperties === undefined ? inner(value) : undefined;
  if (key !== "properties" || !isJsonObject(value)) return undefined;
  return Object.fromEntries(Object.entries(value).map(([name, property]) => [name, inner(property)]));
}

function inner(value: Json): Json {
  return isJsonObject(value) ? checkableSchema(value) : value;
}

function isPlain(value: Json): boolean {
  return value === null || typeof value !== "object";
}

function isPlainList(value: Json): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isPlain);
}
