// The values that a schema for Gemini allows.

import type { Json, JsonObject } from "#contract/json.ts";

/** The values that a schema for Gemini allows, in its fields and in the words of its descriptions, as JSON Schema. */
export function geminiAsJsonSchema(schema: JsonObject): JsonObject {
  const { nullable, description, anyOf, properties, items, enum: values, ...rest } = schema;
  const text = typeof description === "string" ? description : "";
  if (text.includes("Any JSON value is allowed")) return {};
  const result: JsonObject = { ...rest };
  if (Array.isArray(anyOf)) result["anyOf"] = anyOf.map((each) => geminiAsJsonSchema(each as JsonObject));
  if (properties !== undefined) {
    const entries = Object.entries(properties as JsonObject);
    result["properties"] = Object.fromEntries(entries.map(([k, v]) => [k, geminiAsJsonSchema(v as JsonObject)]));
  }
  if (items !== undefined) {
    const own = geminiAsJsonSchema(items as JsonObject);
    result["items"] = text.includes("items may be lists too") ? { anyOf: [own, { type: "array" }] } : own;
  }
  if (Array.isArray(values)) {
    const more: Json[] = text.includes('may also be ""') ? [""] : [];
    result["enum"] = [...values, ...more];
  }
  return nullable === true ? { anyOf: [result, { type: "null" }] } : result;
}
