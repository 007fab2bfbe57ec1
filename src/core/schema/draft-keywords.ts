// Converts the keywords of one schema to those of draft 2020-12: older drafts have other forms of the same rules, and OpenAPI 3.0 has
// `nullable`. The schemas inside are not converted here.

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";

/** Returns the schema with the keywords of draft 2020-12. Values that no draft allows stay as they are. */
export function currentKeywords(schema: JsonObject): JsonObject {
  const result = { ...schema };
  convertBound(result, "exclusiveMinimum", "minimum");
  convertBound(result, "exclusiveMaximum", "maximum");
  convertItems(result);
  convertDependencies(result);
  const { example } = result;
  if (example !== undefined) {
    delete result["example"];
    if (result["examples"] === undefined) result["examples"] = [example];
  }
  return withNull(result);
}

/** In draft 4 and in OpenAPI 3.0, the exclusive bound is a flag of the bound. */
function convertBound(schema: JsonObject, exclusive: string, bound: string): void {
  const flag = schema[exclusive];
  if (typeof flag !== "boolean") return;
  const value = schema[bound];
  delete schema[exclusive];
  if (!flag || typeof value !== "number") return;
  schema[exclusive] = value;
  delete schema[bound];
}

/** Before draft 2020-12, a list in `items` contains one schema for each position, and `additionalItems` is the schema of the others. */
function convertItems(schema: JsonObject): void {
  const { items, additionalItems } = schema;
  delete schema["additionalItems"];
  if (!Array.isArray(items)) return;
  delete schema["items"];
  if (items.length > 0) schema["prefixItems"] = items;
  if (additionalItems !== undefined) schema["items"] = additionalItems;
}

/** Before draft 2019-09, `dependencies` contains lists of names, and schemas. */
function convertDependencies(schema: JsonObject): void {
  const { dependencies } = schema;
  if (!isJsonObject(dependencies)) return;
  delete schema["dependencies"];
  for (const [keyword, isOf] of [
    ["dependentRequired", (value: Json) => Array.isArray(value)],
    ["dependentSchemas", (value: Json) => !Array.isArray(value)],
  ] as const) {
    const found = Object.entries(dependencies).filter(([, value]) => isOf(value));
    const known = schema[keyword];
    if (found.length > 0) schema[keyword] = { ...Object.fromEntries(found), ...(isJsonObject(known) ? known : {}) };
  }
}

/** In OpenAPI 3.0, `nullable: true` adds null to the type next to it, and has no effect without a type. */
function withNull(schema: JsonObject): JsonObject {
  const { nullable, ...rest } = schema;
  if (typeof nullable !== "boolean") return schema;
  const { type, enum: values } = rest;
  if (!nullable || type === undefined) return rest;
  const types = Array.isArray(type) ? type : [type];
  return {
    ...rest,
    ...(types.includes("null") ? {} : { type: [...types, "null"] }),
    ...(Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {}),
  };
}
