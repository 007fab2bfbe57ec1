// Cursors of lists. They are opaque to callers. A cursor belongs to one kind of list, which is checked when a caller sends it.

import { z } from "zod";

import { parseBoundedJson } from "#lib/untrusted/bounded-json.ts";

import { refuse } from "./error.ts";
import { bodyBounds } from "./json.ts";

const shape = z.tuple([z.string(), z.string().min(1).max(200)]);

/** Encodes a cursor. `list` names the kind of list; the next page begins after `after`. */
export function encodeCursor(after: string, list: string): string {
  const json = JSON.stringify([list, after]).replace(/[^ -~]/g, escaped);
  return btoa(json).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Decodes a cursor. Refuses an invalid one, and one of another list. */
export function decodeCursor(cursor: string, list: string): string {
  try {
    const text = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
    const [kind, after] = shape.parse(parseBoundedJson(text, bodyBounds));
    if (kind === list) return after;
  } catch {
    // Invalid: refused below, like a cursor of another list.
  }
  throw refuse("invalid_request", "The cursor is not one of this list. Begin again without it.", {
    fields: [{ path: "cursor", message: "broken, or of another list" }],
  });
}

/** The JSON escape of a UTF-16 unit. `btoa` accepts only characters up to U+00FF. */
function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
