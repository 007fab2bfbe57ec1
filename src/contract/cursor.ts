// Cursors of lists: opaque to callers, bound to their kind of list, checked when they come back.

import { z } from "zod";

import { parseBoundedJson } from "#lib/bounded-json.ts";

import { refuse } from "./error.ts";
import { bodyBounds } from "./json.ts";

const shape = z.tuple([z.string(), z.string().min(1).max(200)]);

/** Makes a cursor. `list` names the kind of list, `after` is where the next page begins. */
export function encodeCursor(after: string, list: string): string {
  const json = JSON.stringify([list, after]).replace(/[^ -~]/g, escaped);
  return btoa(json).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Reads one back; refuses what is broken or of another list. */
export function decodeCursor(cursor: string, list: string): string {
  try {
    const text = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
    const [kind, after] = shape.parse(parseBoundedJson(text, bodyBounds));
    if (kind === list) return after;
  } catch {
    // Broken: refused below, like one of another list.
  }
  throw refuse("invalid_request", "The cursor is not one of this list. Begin again without it.", {
    fields: [{ path: "cursor", message: "broken, or of another list" }],
  });
}

/** A UTF-16 unit as JSON writes it, since base64 here takes bytes only. */
function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
