// The token limits of a model: those that its definition states, else those of the provider's table.

import type { ModelFacts } from "#core/ports/model-port.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { factTableOf } from "./provider-settings.ts";
import { findFacts } from "./provider/facts/fact-table.ts";

const unknown: ModelFacts = { contextWindow: null, inputLimit: null, outputLimit: null, source: null };

/** Returns the token limits of a model at the address that its definition and the variables give it. */
export function modelFacts(model: AnyModelDefinition, env: Record<string, unknown>): ModelFacts {
  const found = findFacts(factTableOf(model, env), model.model) ?? unknown;
  const { contextWindow, inputLimit, outputLimit } = model;
  const facts = {
    contextWindow: contextWindow ?? found.contextWindow,
    inputLimit: inputLimit ?? found.inputLimit,
    outputLimit: outputLimit ?? found.outputLimit,
  };
  const isOverridden = contextWindow !== undefined && inputLimit !== undefined && outputLimit !== undefined;
  return { ...facts, source: isOverridden ? null : found.source };
}

/**
 * Returns a function that gives the token limits of a model, for variables that do not change. It keeps them, because each step reads the
 * limits of its model.
 */
export function createModelFacts(env: Record<string, unknown>): (model: AnyModelDefinition) => ModelFacts {
  const known = new WeakMap<AnyModelDefinition, ModelFacts>();
  return (model) => {
    const found = known.get(model) ?? modelFacts(model, env);
    known.set(model, found);
    return found;
  };
}
