// Finds the missing variables that prevent the use of definitions: those of the models that they need.

import { keyOf } from "./definition.ts";
import type { DefinitionSet, Reference } from "./definition.ts";
import type { Link } from "./relations.ts";

/** A variable that a model lacks. */
export interface MissingKey {
  model: string;
  variable: string;
}

/**
 * The missing keys of the models that a definition itself needs. Fallbacks, and models of definitions that it may call,
 * are not included.
 */
export function missingKeys(reference: Reference, set: DefinitionSet, links: readonly Link[]): MissingKey[] {
  const models = new Set<string>();
  const seen = new Set<string>();
  const look = (at: Reference): void => {
    if (seen.has(keyOf(at))) return;
    seen.add(keyOf(at));
    if (at.kind === "model") models.add(at.name);
    for (const { from, to, relation } of links) {
      if (keyOf(from) === keyOf(at) && needed.has(relation)) look(to);
    }
  };
  look(reference);
  return set.models.flatMap(({ name, missing_names: names }) =>
    models.has(name) ? names.map((variable) => ({ model: name, variable })) : [],
  );
}

const needed: ReadonlySet<string> = new Set(["prompt", "prompt_a", "prompt_b", "model"]);
