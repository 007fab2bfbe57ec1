// Reads the text of an OpenAPI document, which is untrusted: its size, its depth and the number of its values are bounded. References are
// followed within the document only.

import { parse } from "yaml";

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";

import { ApiError } from "./api-error.ts";

/** The maximum number of UTF-16 units of a text in JSON, and of one in YAML, whose parser is slower. */
export const mostUnits = 16 * 1024 * 1024;
const mostYamlUnits = 8 * 1024 * 1024;

/** The maximum number of values in a document, and of nested values. An alias in YAML counts as often as it occurs. */
const mostValues = 3_000_000;
const mostDepth = 200;

/** Reads a document. Throws an `ApiError` whose text completes a sentence about the definition. */
export function readDocument(given: string | object): JsonObject {
  const value: unknown = typeof given === "string" ? parseText(given) : given;
  if (!isWithinBounds(value)) throw new ApiError("has an OpenAPI document with too many or too deeply nested values.");
  const document = value as Json;
  if (!isJsonObject(document)) throw new ApiError("has an OpenAPI document that is no object.");
  const { openapi, swagger } = document;
  if (typeof openapi === "string" && openapi.startsWith("3.")) return document;
  throw new ApiError(
    swagger === undefined
      ? 'has a document without the field "openapi" of version 3.'
      : "has a document of OpenAPI 2. Convert it to version 3.",
  );
}

function parseText(text: string): unknown {
  // REQ-152: the first character distinguishes JSON from YAML.
  const isJson = /^[\uFEFF\s]*[{[]/.test(text);
  if (text.length > (isJson ? mostUnits : mostYamlUnits)) {
    throw new ApiError(`has an OpenAPI document with more than ${isJson ? mostUnits : mostYamlUnits} characters.`);
  }
  try {
    // A check for equal keys would take quadratic time.
    return isJson
      ? JSON.parse(text.replace(/^\uFEFF/, ""))
      : parse(text, { schema: "core", logLevel: "error", uniqueKeys: false });
  } catch {
    throw new ApiError(`has an OpenAPI document that is no valid ${isJson ? "JSON" : "YAML"}.`);
  }
}

function isWithinBounds(value: unknown): boolean {
  let values = 0;
  const visit = (inner: unknown, depth: number): boolean => {
    values += 1;
    if (values > mostValues || depth > mostDepth) return false;
    return typeof inner !== "object" || inner === null || Object.values(inner).every((each) => visit(each, depth + 1));
  };
  return visit(value, 0);
}

/** The longest chain of references. */
const mostReferences = 20;

/**
 * Follows references until a value that is no reference. The result is null if a reference leads out of the document, to nothing or in a
 * circle. `path` are the references on the way.
 */
export function follow(document: JsonObject, value: Json | undefined): { value: JsonObject; path: string[] } | null {
  const path: string[] = [];
  let current = value;
  while (isJsonObject(current) && typeof current["$ref"] === "string") {
    const reference = current["$ref"];
    if (path.includes(reference) || path.length >= mostReferences) return null;
    path.push(reference);
    current = target(document, reference);
  }
  return isJsonObject(current) ? { value: current, path } : null;
}

/** The object that a value is or refers to; null if there is none. */
export function objectAt(document: JsonObject, value: Json | undefined): JsonObject | null {
  return follow(document, value)?.value ?? null;
}

function target(document: JsonObject, reference: string): Json | undefined {
  if (!reference.startsWith("#/")) return undefined;
  let found: Json | undefined = document;
  for (const part of reference.slice(2).split("/")) {
    const key = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as JsonObject)[key];
  }
  return found;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The entries of an object in a document; none for another value. */
export function entriesOf(value: Json | undefined): [string, Json][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

/** The elements of a list in a document; none for another value. */
export function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

/** A text in a document; undefined for another value. */
export function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
