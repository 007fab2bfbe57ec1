// The plain answers about files: JSON that nobody keeps or sniffs, and the refusal of a path where nothing is.

import { refuse } from "#contract/error.ts";
import type { ThreadholdError } from "#contract/error.ts";

/** An answer whose body is JSON. */
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

/** `file_not_found`. */
export function noFile(path: string): ThreadholdError {
  return refuse("file_not_found", `There is nothing at "${path}".`);
}
