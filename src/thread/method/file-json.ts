// JSON responses about files, without caching or guessing of types, and the error for a path without an entry.

import { refuse } from "#contract/error.ts";
import type { ThreadholdError } from "#contract/error.ts";

/** A response with a JSON body. */
export function fileJson(value: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: {
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      ...headers,
    },
  });
}

/** The error `file_not_found` for a path without an entry. */
export function noFile(path: string): ThreadholdError {
  return refuse("file_not_found", `There is nothing at "${path}".`);
}
