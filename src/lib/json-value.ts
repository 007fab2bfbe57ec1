// Narrows values whose shape is not known: parsed JSON, chunks of providers, values that project code returns.

import { parseBoundedJson } from "./untrusted/bounded-json.ts";

/** Bounds of a text that a model, a provider or a tool wrote. A text of 1.5 MB, which a row can store, usually has about 25,000 keys. */
const textBounds = { values: 500_000, depth: 256, keys: 150_000 };

/** An object with fields of any type. */
export type Fields = Record<string, unknown>;

/** Whether a value is an object that is neither null nor a list. */
export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is a list without elements, which PHP writes for an object without fields. */
export function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** The fields of an object; none for every other value. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

/** The entries of a list; none for every other value. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The parsed text; undefined if it is not JSON, or has too many values or keys. */
export function parseJson(text: string): unknown {
  try {
    return parseBoundedJson(text, textBounds);
  } catch {
    return undefined;
  }
}

/** A text unchanged; every other value as JSON. Empty for `undefined`, which JSON cannot write. */
export function textOrJson(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * Converts the text of a tool result to the result's value. Results are stored as text, so JSON of an object or an array is parsed. Any
 * other text stays as it is, and so does JSON with too many values or keys.
 */
export function resultValue(text: string): unknown {
  return /^\s*[[{]/.test(text) ? (parseJson(text) ?? text) : text;
}
