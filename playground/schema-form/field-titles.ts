// Gives each property of a JSON Schema a label that a person can read, and keeps its key next to it.

import type { Json, JsonObject } from "threadhold/client";

import { listOf, objectOf } from "../kit/json-value.ts";

/** The keyword with which a copy of a schema has the key of its property. Validators ignore keywords that they do not know. */
export const keyKeyword = "x-playground-key";

/** Keywords whose value maps names to schemas; those of `properties` are the fields of a form. */
const named = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"] as const;
/** Keywords whose value is a schema or a list of schemas. */
const nested = [
  "items",
  "prefixItems",
  "additionalItems",
  "additionalProperties",
  "contains",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
] as const;

/** A copy of the schema in which each property has a title and its key. */
export function withTitles(schema: JsonObject): JsonObject {
  const copy: JsonObject = { ...schema };
  for (const keyword of named) {
    const schemas = objectOf(schema[keyword]);
    if (schemas === null) continue;
    const isFields = keyword === "properties";
    copy[keyword] = Object.fromEntries(
      Object.entries(schemas).map(([key, value]) => [key, isFields ? fieldOf(key, value) : titled(value)]),
    );
  }
  for (const keyword of nested) {
    const value = schema[keyword];
    if (value !== undefined) copy[keyword] = Array.isArray(value) ? listOf(value).map(titled) : titled(value);
  }
  return copy;
}

function titled(value: Json): Json {
  const schema = objectOf(value);
  return schema === null ? value : withTitles(schema);
}

/** A property's schema with its title and its key. The schema `true` allows any value and stays as it is. */
function fieldOf(key: string, value: Json): Json {
  const schema = objectOf(value);
  if (schema === null) return value;
  const { title } = schema;
  const isNamed = typeof title === "string" && title.trim() !== "";
  return { ...withTitles(schema), title: isNamed ? title : labelOf(key), [keyKeyword]: key };
}

/** A key as a label: `order_id` and `orderId` are "Order ID". */
export function labelOf(key: string): string {
  const words = key
    .replaceAll(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, " ")
    .split(/[-_.\s]+/)
    .filter((word) => word !== "");
  if (words.length === 0) return key;
  const label = words.map((word) => (/^(id|url)$/i.test(word) ? word.toUpperCase() : lowered(word))).join(" ");
  return label.charAt(0).toUpperCase() + label.slice(1);
}

/** A word in lower case; a word of capitals, such as HTTP, stays as it is. */
function lowered(word: string): string {
  return word.length > 1 && word === word.toUpperCase() ? word : word.toLowerCase();
}
