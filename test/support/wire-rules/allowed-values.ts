// Which values a schema allows, as it is given and as it is sent to a wire.

import { Validator, type Schema } from "@cfworker/json-schema";

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";

import type { Draft } from "./any-schema.ts";
import { geminiAsJsonSchema } from "./gemini-schema.ts";
import type { SchemaWire } from "./schema-problems.mjs";

/** Whether a value fits a schema; null if the validator cannot read the schema, for example because of an invalid pattern. */
export function fits(schema: JsonObject, draft: Draft, value: Json): boolean | null {
  try {
    // The validator stores addresses in the schema.
    return new Validator(structuredClone(schema) as Schema, draft).validate(value).valid;
  } catch {
    return null;
  }
}

/** The values that a sent schema allows, in its keywords and in the words of its descriptions, as JSON Schema of draft 2020-12. */
export function allowedValues(wire: SchemaWire, sent: JsonObject): JsonObject {
  if (wire === "google" || wire === "gemini") return geminiAsJsonSchema(sent);
  return wire === "moonshot" ? (withLists(sent) as JsonObject) : sent;
}

function withLists(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withLists);
  if (!isJsonObject(schema)) return schema;
  if (schema["description"] === "Items may be lists too.") return {};
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withLists(value)]));
}
