// The parameters that Gemini accepts for a function, written after its reference (`Schema` of the generative language API,
// https://ai.google.dev/api/caching#Schema) and after reports of refusals, and the values that such a schema allows. Problems are returned as
// sentences.

import type { Json, JsonObject } from "#contract/json.ts";

const fields = new Set([
  "type",
  "description",
  "nullable",
  "format",
  "enum",
  "minLength",
  "properties",
  "required",
  "items",
]);
const types = new Set(["string", "number", "integer", "boolean", "array", "object"]);

/** The problems for which Gemini would refuse a schema. */
export function geminiProblems(schema: unknown, place = "parameters"): string[] {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return [`${place} is no schema`];
  const { anyOf, type, format, enum: values, properties, required, items } = schema as Record<string, unknown>;
  const keys = Object.keys(schema);
  if (anyOf !== undefined && place !== "parameters") {
    const branches = Array.isArray(anyOf) ? anyOf : [];
    return [
      ...(keys.length > 1 ? [`${place} has ${keys.join()} beside anyOf`] : []),
      ...(branches.length < 2 ? [`${place} has no choice in anyOf`] : []),
      ...branches.flatMap((branch, at) => geminiProblems(branch, `${place}|${at}`)),
    ];
  }
  const faults = keys.filter((key) => !fields.has(key)).map((key) => `${place} has the unknown field ${key}`);
  if (place === "parameters" && type !== "object") faults.push("parameters is no object");
  if (typeof type !== "string" || !types.has(type)) faults.push(`${place} has the type ${JSON.stringify(type)}`);
  if (format !== undefined && format !== "date-time") faults.push(`${place} has the format ${JSON.stringify(format)}`);
  if (values !== undefined) {
    if (type !== "string") faults.push(`${place} lists values although it is of type ${String(type)}`);
    const isTexts = Array.isArray(values) && values.every((value) => typeof value === "string" && value !== "");
    if (!isTexts || values.length === 0) faults.push(`${place} lists ${JSON.stringify(values)}`);
  }
  if (properties !== undefined && type !== "object") faults.push(`${place} has properties and is no object`);
  const named = Object.entries(properties ?? {});
  if (properties !== undefined && named.length === 0) faults.push(`${place} has empty properties`);
  for (const name of (required ?? []) as string[]) {
    if (!Object.hasOwn(properties ?? {}, name)) faults.push(`${place} requires ${name}, which it does not have`);
  }
  if ((type === "array") !== (items !== undefined)) {
    faults.push(`${place} is of type ${String(type)}, items: ${String(items)}`);
  }
  return [
    ...faults,
    ...named.flatMap(([name, inner]) => geminiProblems(inner, `${place}.${name}`)),
    ...(items === undefined ? [] : geminiProblems(items, `${place}[]`)),
  ];
}

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
