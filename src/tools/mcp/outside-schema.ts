// The JSON Schemas of a server's tools, which are untrusted: their size and depth are bounded, and hidden characters are removed from their
// texts.

import type { Json, JsonObject } from "#contract/json.ts";

import { outsideText } from "../outside-text.ts";

/** The maximum number of UTF-16 units of a schema as JSON, and the maximum nesting of its values. */
const mostUnits = 128 * 1024;
const mostDepth = 64;

/** The maximum length of a text that describes a part of a schema. */
const textLimit = 1000;

/** Keywords of JSON Schema whose values are texts that models and people read. */
const texts = new Set(["description", "title", "$comment"]);

/**
 * Returns the cleaned schema, and its length as JSON; null if the schema is too large or nested too deeply. `schema` is a result of
 * `JSON.parse`.
 */
export function outsideSchema(schema: object): { schema: JsonObject; units: number } | null {
  if (!isShallow(schema, mostDepth)) return null;
  const units = JSON.stringify(schema).length;
  if (units > mostUnits) return null;
  return { schema: JSON.parse(JSON.stringify(schema, shownText)) as JsonObject, units };
}

function shownText(key: string, value: Json): Json {
  return texts.has(key) && typeof value === "string" ? outsideText(value, textLimit) : value;
}

/** Whether values are nested at most `depth` times. */
function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1));
}
