// Reads single fields of a provider's chunks, whose shape is unknown.

import { isVisible } from "#lib/visible-text.ts";

/** The first value that is a text with a visible character, trimmed; null if there is none. */
export function textOf(...values: unknown[]): string | null {
  const found = values.find((value) => typeof value === "string" && isVisible(value));
  return typeof found === "string" ? found.trim() : null;
}

/** The first value that is a count of tokens; null if there is none. */
export function countOf(...values: unknown[]): number | null {
  const found = values.find((value) => typeof value === "number" && value >= 0);
  return typeof found === "number" ? found : null;
}
