// JSON values, as requests and events contain them and as rows store them.

import { z } from "zod";

import { isObject } from "#lib/json-value.ts";
import type { JsonBounds } from "#lib/untrusted/bounded-json.ts";

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object. */
export type JsonObject = { [key: string]: Json };

/** Whether a JSON value is an object. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return isObject(value);
}

/** Bounds of a JSON body and of any other JSON in a request. */
export const bodyBounds: JsonBounds = { values: 100_000, depth: 64 };

/**
 * Bounds of JSON that a thread stores or that a model writes. An answer has at most 1.5 MB. Documents have a key for each 60 bytes or more
 * (GitHub's OpenAPI documents: 235,000 keys in 14 MB), so that 1.5 MB have about 25,000 keys. Keys take most of a parser's time.
 */
export const keptBounds: JsonBounds = { values: 500_000, depth: 256, keys: 150_000 };

/**
 * Copies a JSON value. Throws a `NoJson` at the first part that is not JSON. It visits the value once and calls no schema for its parts.
 */
function copyOf(value: unknown, depth: number): Json {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value !== "object" || depth > keptBounds.depth) throw new NoJson();
  if (Array.isArray(value)) {
    const list: Json[] = [];
    // By index, because a list may have holes. Reading a hole gives undefined, for which the call throws.
    for (let at = 0; at < value.length; at += 1) list.push(copyOf(value[at], depth + 1));
    return list;
  }
  if (!isPlain(value)) throw new NoJson();
  const object: JsonObject = {};
  for (const key of Object.keys(value)) {
    if (key !== "__proto__") object[key] = copyOf((value as Record<string, unknown>)[key], depth + 1);
  }
  return object;
}

class NoJson extends Error {
  override readonly name = "NoJson";
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** A schema that returns a copy, so that later changes of the input do not change its result. */
function copying(shape: z.ZodType, fits: (value: Json) => boolean, expected: string): z.ZodType {
  const copied = (value: unknown, context: z.core.ParsePayload): unknown => {
    try {
      const copy = copyOf(value, 0);
      if (fits(copy)) return copy;
    } catch (thrown) {
      if (!(thrown instanceof NoJson)) throw thrown;
    }
    context.issues.push({ code: "custom", message: `Has to be ${expected}`, input: value });
    return value;
  };
  return z.preprocess(copied, shape);
}

/** Schema of any JSON value. */
export const jsonSchema: z.ZodType<Json> = copying(z.unknown(), () => true, "JSON") as z.ZodType<Json>;

/** Schema of a JSON object whose values are any JSON. The annotations let a bundler drop it where nothing reads it. */
export const jsonObjectSchema: z.ZodType<JsonObject> = /* @__PURE__ */ copying(
  /* @__PURE__ */ z.record(/* @__PURE__ */ z.string(), /* @__PURE__ */ z.unknown()),
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "an object of JSON",
) as z.ZodType<JsonObject>;
