// Reads the text of an OpenAPI document, which is untrusted: its size, its depth and the number of its values are bounded. References are
// followed within the document only.

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import { JsonBoundError, parseBoundedJson } from "#lib/untrusted/bounded-json.ts";
import { parseBoundedYamlInSlices, YamlBoundError } from "#lib/untrusted/bounded-yaml.ts";

import { ApiError } from "./api-error.ts";

/** The maximum number of UTF-16 units of a text in JSON. */
export const mostUnits = 16 * 1024 * 1024;

/**
 * The maximum number of values in a document, and of nested values. The documents of GitHub have 280,000 values and 235,000 keys. An alias in YAML counts as
 * often as it occurs.
 */
const bounds = { values: 400_000, depth: 200, keys: 300_000 };

/**
 * Bounds of a document in YAML from an address, and of one in the project. The parser takes about as long for 1 MiB as that of JSON for
 * 16 MiB.
 */
const fetchedYaml = { units: 1024 * 1024, tokens: 125_000, depth: bounds.depth };
const ownYaml = { units: 8 * 1024 * 1024, tokens: 1_000_000, depth: bounds.depth };

/** Where a document is from: the response of an address, or the project. */
export type DocumentOrigin = "address" | "project";

/** Reads a document. Throws an `ApiError` whose text completes a sentence about the definition. */
export async function readDocument(given: string | object, origin: DocumentOrigin): Promise<JsonObject> {
  const document = (typeof given === "string" ? await parseText(given, origin) : withinBounds(given)) as Json;
  if (!isJsonObject(document)) throw new ApiError("has an OpenAPI document that is no object.");
  const { openapi, swagger } = document;
  if (typeof openapi === "string" && openapi.startsWith("3.")) return document;
  throw new ApiError(
    swagger === undefined
      ? 'has a document without the field "openapi" of version 3.'
      : "has a document of OpenAPI 2. Convert it to version 3.",
  );
}

async function parseText(text: string, origin: DocumentOrigin): Promise<unknown> {
  // REQ-152: the first character distinguishes JSON from YAML.
  const isJson = /^[\uFEFF\s]*[{[]/.test(text);
  if (isJson && text.length > mostUnits) {
    throw new ApiError(`has an OpenAPI document with more than ${mostUnits} characters.`);
  }
  try {
    if (isJson) return parseBoundedJson(text.replace(/^\uFEFF/, ""), bounds);
    return withinBounds(await parseBoundedYamlInSlices(text, origin === "address" ? fetchedYaml : ownYaml));
  } catch (thrown) {
    if (thrown instanceof ApiError) throw thrown;
    if (thrown instanceof JsonBoundError) throw new ApiError(`has an OpenAPI document that ${thrown.message}.`);
    if (!(thrown instanceof YamlBoundError)) {
      throw new ApiError(`has an OpenAPI document that is no valid ${isJson ? "JSON" : "YAML"}.`);
    }
    const wayOut = origin === "address" ? " Convert it to JSON, or put it into the project." : " Convert it to JSON.";
    throw new ApiError(`has an OpenAPI document in YAML that ${thrown.message}.${wayOut}`);
  }
}

/** The value, if it is within the bounds. Aliases of YAML may contain more values than the text. */
function withinBounds(value: unknown): unknown {
  let values = 0;
  const visit = (inner: unknown, depth: number): boolean => {
    values += 1;
    if (values > bounds.values || depth > bounds.depth) return false;
    return typeof inner !== "object" || inner === null || Object.values(inner).every((each) => visit(each, depth + 1));
  };
  if (visit(value, 0)) return value;
  throw new ApiError(
    `has an OpenAPI document with more than ${bounds.values} values, or nested more than ${bounds.depth} levels deep.`,
  );
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
