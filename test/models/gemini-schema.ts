// The parameters that Gemini accepts for a function, written after its reference (`Schema` of the generative language API), and whether a
// value fits such a schema. Faults are returned as sentences.

import type { Sent } from "./sent-request.ts";

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

/** The faults for which Gemini would refuse a schema. */
export function schemaFaults(schema: unknown, place = "parameters"): string[] {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return [`${place} is no schema`];
  const { anyOf, type, format, enum: values, properties, required, items } = schema as Record<string, unknown>;
  const keys = Object.keys(schema);
  if (anyOf !== undefined) {
    const branches = Array.isArray(anyOf) ? anyOf : [];
    return [
      ...(keys.length > 1 ? [`${place} has ${keys.join()} beside anyOf`] : []),
      ...(branches.length < 2 ? [`${place} has no choice in anyOf`] : []),
      ...branches.flatMap((branch, at) => schemaFaults(branch, `${place}|${at}`)),
    ];
  }
  const faults = keys.filter((key) => !fields.has(key)).map((key) => `${place} has the unknown field ${key}`);
  if (typeof type !== "string" || !types.has(type)) faults.push(`${place} has the type ${JSON.stringify(type)}`);
  if (format !== undefined && format !== "date-time") faults.push(`${place} has the format ${JSON.stringify(format)}`);
  if (values !== undefined) {
    if (type !== "string") faults.push(`${place} lists values although it is of type ${String(type)}`);
    if (!Array.isArray(values) || values.length === 0 || !values.every((value) => typeof value === "string")) {
      faults.push(`${place} lists ${JSON.stringify(values)}`);
    }
  }
  if (properties !== undefined && type !== "object") faults.push(`${place} has properties and is no object`);
  const named = Object.entries(properties ?? {});
  for (const name of (required ?? []) as string[]) {
    if (!Object.hasOwn(properties ?? {}, name)) faults.push(`${place} requires ${name}, which it does not have`);
  }
  if ((type === "array") !== (items !== undefined))
    faults.push(`${place} is of type ${String(type)}, items: ${String(items)}`);
  return [
    ...faults,
    ...named.flatMap(([name, inner]) => schemaFaults(inner, `${place}.${name}`)),
    ...(items === undefined ? [] : schemaFaults(items, `${place}[]`)),
  ];
}

const isOf: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
  array: (value) => Array.isArray(value),
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};

/** A JSON value in a request whose shape a test does not know. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Whether a model that follows the schema could send this value. */
export function admits(schema: Sent, value: unknown): boolean {
  if (schema["anyOf"] !== undefined) return [...schema["anyOf"]].some((branch) => admits(branch, value));
  if (value === null) return Boolean(schema["nullable"]);
  if (isOf[textOf(schema["type"])]?.(value) !== true) return false;
  if (schema["enum"] !== undefined && ![...schema["enum"]].some((one) => (one as unknown) === value)) return false;
  if (Array.isArray(value)) return value.every((entry) => admits(schema["items"] as Sent, entry));
  if (typeof value !== "object" || schema["properties"] === undefined) return true;
  const given = value as Record<string, unknown>;
  return (
    [...(schema["required"] ?? [])].every((name) => Object.hasOwn(given, textOf(name))) &&
    Object.entries(given).every(([name, inner]) => {
      const own = schema["properties"]?.[name];
      return own !== undefined && admits(own, inner);
    })
  );
}
