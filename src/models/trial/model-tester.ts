// Tries the models of a project with the code that sends the requests of runs: for `threadhold models test` with the variables of a machine,
// and in a Worker with its variables and bindings.

import type { AnyModelDefinition, ModelCatalogue } from "#spec/index.ts";

import { loadModelPort } from "../load-model-port.ts";
import { completeModel, modelFacts } from "../model-facts.ts";
import { createRedact } from "../redact.ts";
import { secretValues, trialKinds, tryModel, type Trial, type TrialKind } from "./model-trial.ts";

/** Milliseconds after which a trial is given up. */
const defaultLimitMs = 60_000;

interface TesterContext {
  variables: Readonly<Record<string, unknown>>;
  fetch: typeof fetch;
  limitMs?: number;
}

/** Which trials of a model are wanted, and the signal that ends them. */
export interface TrialOptions {
  /** Default: all. */
  kinds?: readonly TrialKind[] | undefined;
  /** After an abort no further request is sent, and the trial that runs fails. */
  signal?: AbortSignal | undefined;
}

/** A definition and the file that a fix names. */
interface NamedModel {
  file: string;
  value: AnyModelDefinition;
}

/**
 * Returns a function that tries a model: with a text, with a tool and with a picture, one after the other, except for what its definition
 * or the catalogue excludes. If the text fails, no further trial is sent.
 */
export function modelTester(
  { catalogue }: { catalogue?: ModelCatalogue | undefined },
  { variables, fetch, limitMs = defaultLimitMs }: TesterContext,
): (model: NamedModel, options?: TrialOptions) => Promise<Trial[]> {
  const secrets = secretValues(variables);
  const env = { ...variables };
  const port = loadModelPort({ env, secrets, fetch });
  const context = { port, limitMs, redact: createRedact(secrets) };
  return async ({ file, value }, { kinds = trialKinds, signal } = {}) => {
    const model = { file, value: catalogue === undefined ? value : completeModel(value, env, catalogue) };
    const trials: Trial[] = [];
    for (const kind of trialKinds) {
      if (!kinds.includes(kind) || !isPossible(kind, value)) continue;
      if (signal?.aborted === true || trials.some((trial) => trial.kind === "text" && !trial.ok)) break;
      trials.push(await tryModel(model, kind, { ...context, signal }));
    }
    return trials;
  };

  /** Whether neither the definition nor the catalogue states that the model cannot do it. Only a definition takes tools away. */
  function isPossible(kind: TrialKind, value: AnyModelDefinition): boolean {
    const { functionCalling = true, vision } = value.capabilities ?? {};
    if (kind === "picture") return vision ?? modelFacts(value, env, catalogue).capabilities?.vision ?? true;
    return kind === "text" || functionCalling;
  }
}
