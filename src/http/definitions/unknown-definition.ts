// The refusal of a request for a definition that does not exist.

import { refuse } from "#contract/error.ts";
import type { ErrorCode } from "#contract/error.ts";
import { closestWord } from "#lib/edit-distance.ts";

/** The kinds of definitions that a route returns by name. */
export type KindName = "agent" | "prompt" | "model" | "tool" | "source" | "skill";

/** The error for an unknown name, with the most similar one of the existing names. */
export function unknownDefinition(kind: KindName, name: string, known: readonly string[]): Error {
  const meant = closestWord(name, known);
  const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
  const missing: ErrorCode = `${kind}_not_found`;
  return refuse(missing, `There is no ${kind} "${name}".${hint}`);
}
