// Converts a JSON Schema to rows of a table: each property with its type, its description and its constraints; nested
// properties follow their parent.

import type { Json, JsonObject } from "threadhold/client";

import { listOf, objectOf } from "../kit/json-value.ts";

/** The row of a property. */
export interface SchemaRow {
  /** The path from the root; `items[]` means the elements of the list `items`. */
  path: string;
  /** The last part of the path. */
  name: string;
  depth: number;
  type: string;
  required: boolean;
  description: string | null;
  /** Further constraints, each in a few words. */
  bounds: string[];
}

/** The number of levels that are shown, because a schema that refers to itself has no end. */
const deepest = 8;
const mostRows = 500;

interface Place {
  path: string;
  name: string;
  depth: number;
  required: boolean;
}

/** The rows of a schema's properties. References are resolved in `root`. */
export function schemaRows(schema: JsonObject, root: JsonObject = schema): SchemaRow[] {
  const rows: SchemaRow[] = [];
  addProperties(schema, { path: "", depth: 0, seen: [] });
  return rows;

  function addProperties(value: Json, at: { path: string; depth: number; seen: readonly string[] }): void {
    const { target, seen } = resolved(value, root, at.seen);
    if (target === null || at.depth > deepest) return;
    const needed = Array.isArray(target["required"]) ? target["required"] : [];
    for (const [name, property] of Object.entries(objectOf(target["properties"]) ?? {})) {
      const path = at.path === "" ? name : `${at.path}.${name}`;
      add(property, { path, name, depth: at.depth, required: needed.includes(name) }, seen);
    }
    const rest = objectOf(target["additionalProperties"]);
    if (rest !== null) {
      add(rest, { path: `${at.path}.*`, name: "any other", depth: at.depth, required: false }, seen);
    }
    for (const part of listOf(target["allOf"])) addProperties(part, { ...at, seen });
  }

  function add(value: Json, place: Place, before: readonly string[]): void {
    if (rows.length >= mostRows) return;
    const { target, seen, again } = resolved(value, root, before);
    const type = again ? "as above" : typeOf(value, root);
    const description = target?.["description"] ?? objectOf(value)?.["description"];
    rows.push({
      ...place,
      type,
      description: typeof description === "string" ? description : null,
      bounds: target === null ? [] : boundsOf(target),
    });
    if (target === null || again) return;
    const deeper = { path: place.path, depth: place.depth + 1, seen };
    addProperties(target, deeper);
    const items = objectOf(target["items"]);
    if (items !== null) addItems(items, deeper);
    for (const option of [...listOf(target["anyOf"]), ...listOf(target["oneOf"])]) addProperties(option, deeper);
  }

  function addItems(items: JsonObject, at: { path: string; depth: number; seen: readonly string[] }): void {
    const { target, again } = resolved(items, root, at.seen);
    const isPlain = target !== null && objectOf(target["properties"]) === null && objectOf(target["items"]) === null;
    if (again) return;
    if (isPlain && boundsOf(target).length === 0 && target["description"] === undefined) return;
    const path = `${at.path}[]`;
    if (isPlain) add(items, { path, name: "each", depth: at.depth, required: false }, at.seen);
    else addProperties(items, { ...at, path });
  }
}

/** Follows a schema's references within the same document; `again` is true if one of them was followed before. */
function resolved(
  value: Json,
  root: JsonObject,
  before: readonly string[],
): { target: JsonObject | null; seen: readonly string[]; again: boolean } {
  let target = objectOf(value);
  let seen = before;
  while (target !== null && typeof target["$ref"] === "string") {
    const reference = target["$ref"];
    if (seen.includes(reference)) return { target, seen, again: true };
    seen = [...seen, reference];
    target = pointed(reference, root);
  }
  return { target, seen, again: false };
}

function pointed(reference: string, root: JsonObject): JsonObject | null {
  if (!reference.startsWith("#")) return null;
  let at: Json | undefined = root;
  for (const part of reference.slice(1).split("/").filter(Boolean)) {
    const name = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    at = objectOf(at)?.[name];
  }
  return objectOf(at);
}

/** The type of a schema in a few words. */
function typeOf(value: Json | undefined, root: JsonObject, depth = 0): string {
  const { target } = resolved(value ?? null, root, []);
  if (target === null || depth > 4) return "anything";
  if (target["const"] !== undefined) return JSON.stringify(target["const"]);
  if (Array.isArray(target["enum"])) return target["enum"].map((one) => JSON.stringify(one)).join(" or ");
  const options = [...listOf(target["anyOf"]), ...listOf(target["oneOf"])];
  if (options.length > 0) return [...new Set(options.map((one) => typeOf(one, root, depth + 1)))].join(" or ");
  const { type } = target;
  if (type === "array") {
    const items = typeOf(target["items"], root, depth + 1);
    return items === "anything" ? "list" : `list of ${items}`;
  }
  if (typeof type === "string") return type;
  if (Array.isArray(type)) return type.map(String).join(" or ");
  return target["properties"] === undefined ? "anything" : "object";
}

function boundsOf(schema: JsonObject): string[] {
  const bounds = Object.entries(boundWords).flatMap(([field, words]) => {
    const value = schema[field];
    return value === undefined || (typeof value === "number" && Math.abs(value) >= Number.MAX_SAFE_INTEGER)
      ? []
      : [words(typeof value === "string" ? value : JSON.stringify(value))];
  });
  return [...bounds, ...(schema["uniqueItems"] === true ? ["no duplicates"] : [])];
}

const boundWords: Readonly<Record<string, (value: string) => string>> = {
  default: (value) => `default ${value}`,
  format: (value) => value,
  pattern: (value) => `pattern ${value}`,
  minimum: (value) => `≥ ${value}`,
  exclusiveMinimum: (value) => `> ${value}`,
  maximum: (value) => `≤ ${value}`,
  exclusiveMaximum: (value) => `< ${value}`,
  multipleOf: (value) => `a multiple of ${value}`,
  minLength: (value) => `length ≥ ${value}`,
  maxLength: (value) => `length ≤ ${value}`,
  minItems: (value) => `items ≥ ${value}`,
  maxItems: (value) => `items ≤ ${value}`,
};
