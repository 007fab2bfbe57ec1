// Parses the JSON of a request within the bounds of the contract. Refuses values that no schema may receive: lone surrogates, which
// UTF-8 cannot encode, numbers too large for a double, and the key `__proto__`.

import { refuse } from "#contract/error.ts";
import type { ThreadholdError } from "#contract/error.ts";
import { bodyBounds } from "#contract/json.ts";
import { JsonBoundError, parseBoundedJson } from "#lib/bounded-json.ts";

import { invalidField } from "./field-error.ts";

/** Returns the parsed value. Throws `too_large` or `invalid_request` with a message that begins with `what`. */
export function parseJson(text: string, what: string): unknown {
  const value = parsed(text, what);
  checkValue(value);
  return value;
}

function parsed(text: string, what: string): unknown {
  try {
    return parseBoundedJson(text, bodyBounds);
  } catch (thrown) {
    if (thrown instanceof JsonBoundError) throw overBound(thrown, what);
    throw refuse("invalid_request", `${what} is not valid JSON.`);
  }
}

/** The error for an exceeded bound, which its details state. */
function overBound({ bound, limit, message }: JsonBoundError, what: string): ThreadholdError {
  return refuse(bound === "values" ? "too_large" : "invalid_request", `${what} ${message}.`, { bound, limit });
}

/** A container in the value, with its key and its parent. Full paths are built only for errors. */
interface Place {
  value: object;
  key: string;
  outer: Place | null;
}

/** Checks every text, number and key, without recursion. The parser has bounded the nesting. */
function checkValue(value: unknown): void {
  const waiting: Place[] = [];
  const root: Place = { value: { "": value }, key: "", outer: null };
  for (let place: Place | undefined = root; place !== undefined; place = waiting.pop()) {
    for (const [key, inner] of Object.entries(place.value)) {
      checkText(key, place);
      if (key === "__proto__") throw invalidField(pathOf(place, key), "Not a name a field can have");
      if (typeof inner === "string") checkText(inner, place, key);
      else if (typeof inner === "number" && !Number.isFinite(inner)) {
        throw invalidField(pathOf(place, key), "Is too large a number");
      } else if (typeof inner === "object" && inner !== null)
        waiting.push({ value: inner as object, key, outer: place });
    }
  }
}

function checkText(text: string, place: Place, key?: string): void {
  if (text.isWellFormed()) return;
  throw invalidField(pathOf(place, key), "Holds half of a surrogate pair, which is no Unicode text");
}

function pathOf(place: Place, key?: string): string {
  const path = key === undefined ? [] : [key];
  for (let at: Place | null = place; at !== null; at = at.outer) path.unshift(at.key);
  // The traversal starts at an object around the value. Its two keys are not part of the path.
  return path.slice(2).join(".");
}
