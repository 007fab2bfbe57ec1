// Makes parsed JSON from an untrusted export safe: with bounded nesting, so that recursive code does not overflow the stack, and without
// `__proto__` keys, which could change a prototype. These functions do not recurse themselves.

import { z } from "zod";

import type { Json, JsonObject } from "#contract/json.ts";
import type { JsonBounds } from "#lib/untrusted/bounded-json.ts";

/** Bounds of a line. Stored values have fewer levels, and a record adds a few levels around them. */
export const lineBounds: JsonBounds = { values: 500_000, depth: 500 };

/** Drops every `__proto__` key of a parsed value. */
export function tame(value: unknown): void {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const current = waiting.pop();
    if (typeof current !== "object" || current === null) continue;
    if (Object.hasOwn(current, "__proto__")) Reflect.deleteProperty(current, "__proto__");
    for (const inner of Object.values(current)) if (typeof inner === "object" && inner !== null) waiting.push(inner);
  }
}

/** Whether every string and key in a parsed value is well-formed Unicode. */
export function wellFormed(value: unknown): boolean {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const current = waiting.pop();
    if (typeof current === "string" && !current.isWellFormed()) return false;
    if (typeof current !== "object" || current === null) continue;
    for (const [key, inner] of Object.entries(current)) waiting.push(key, inner);
  }
  return true;
}

/** The schema of any value that `JSON.parse` returned. Its content is not checked again. */
export const parsedJson = z.custom<Json>((value) => value !== undefined, "has to be there");

/** The schema of an object that `JSON.parse` returned. Its content is not checked again. */
export const parsedObject = z.custom<JsonObject>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "has to be an object",
);
