// Reads values from JSON of unknown shape, such as a log row or a schema.

import type { Json, JsonObject } from "threadhold/client";

/** The object; null for every other value. */
export function objectOf(value: Json | undefined): JsonObject | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
}

/** The fields of an object; none for every other value. */
export function fieldsOf(value: Json | undefined): JsonObject {
  return objectOf(value) ?? {};
}

/** The entries of a list; none for every other value. */
export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** The text; null for an empty text and every other value. */
export function textOf(value: Json | undefined): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
