// Parses the JSON of a request within the bounds of the contract. Refuses values that no schema may receive: lone surrogates, which
// UTF-8 cannot encode, numbers too large for a double, and the key `__proto__`.

import { refuse } from "#contract/error.ts";
import type { ThreadholdError } from "#contract/error.ts";
import { bodyBounds } from "#contract/json.ts";
import { JsonBoundError, parseBoundedJson } from "#lib/untrusted/bounded-json.ts";

import { invalidField } from "./field-error.ts";

/** Returns the parsed value. Throws `too_large` or `invalid_request` with a message that begins with `what`. */
export function parseJson(text: string, what: string): unknown {
  const value = parseUnchecked(text, what);
  checkValue(value, "");
  return value;
}

/** Parses like `parseJson`, without the check of the values. The caller has to pass each part that it reads to `checkValue`. */
export function parseUnchecked(text: string, what: string): unknown {
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

/** The maximum length of a path in an error. A key may be as long as its request. */
const longestPath = 500;

/** A container in the value, with its key and its parent. Full paths are built only for errors. */
interface Container {
  value: object;
  key: string;
  outer: Container | null;
}

/**
 * Checks every text, number and key, without recursion. The parser has bounded the nesting. Throws `invalid_request` with the path of the
 * first wrong part, which begins with `path`.
 */
export function checkValue(value: unknown, path: string): void {
  const waiting: Container[] = [];
  const root: Container = { value: { [path]: value }, key: "", outer: null };
  for (let container: Container | undefined = root; container !== undefined; container = waiting.pop()) {
    for (const [key, inner] of Object.entries(container.value)) {
      checkText(key, container);
      if (key === "__proto__") throw invalidField(pathOf(container, key), "Not a name a field can have");
      if (typeof inner === "string") checkText(inner, container, key);
      else if (typeof inner === "number" && !Number.isFinite(inner)) {
        throw invalidField(pathOf(container, key), "Is too large a number");
      } else if (typeof inner === "object" && inner !== null)
        waiting.push({ value: inner as object, key, outer: container });
    }
  }
}

function checkText(text: string, container: Container, key?: string): void {
  if (text.isWellFormed()) return;
  throw invalidField(pathOf(container, key), "Holds half of a surrogate pair, which is no Unicode text");
}

function pathOf(container: Container, key?: string): string {
  const path = key === undefined ? [] : [key];
  for (let at: Container | null = container; at !== null; at = at.outer) path.unshift(at.key);
  // The traversal starts at an object around the value. The object has no key, and the key of the value may be empty.
  const shown = path.slice(path[1] === "" ? 2 : 1).join(".");
  // The path becomes part of an error text, which a client may send back.
  return shown.slice(0, longestPath).toWellFormed();
}
