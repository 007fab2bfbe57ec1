// Tries the models of a project with the variables of this machine and the code that a Worker runs.

import type { Project } from "#compiler/project.ts";
import { loadModelPort } from "#models/load-model-port.ts";
import { completeModel, modelFacts } from "#models/model-facts.ts";
import { createRedact } from "#models/redact.ts";

import { secretValues, tryModel, type Trial } from "./model-trial.ts";

/** Milliseconds after which a trial is given up. */
const defaultLimitMs = 60_000;

interface TesterContext {
  variables: Readonly<Record<string, unknown>>;
  fetch: typeof fetch;
  limitMs?: number;
}

/** Returns a function that tries a model: with a text, with a tool and with a picture, except for what its definition excludes. */
export function modelTester(
  { catalogue }: Pick<Project, "catalogue">,
  { variables, fetch, limitMs = defaultLimitMs }: TesterContext,
): (model: Project["models"][number]) => Promise<Trial[]> {
  const secrets = secretValues(variables);
  const env = { ...variables };
  const port = loadModelPort({ env, secrets, fetch });
  const context = { port, limitMs, redact: createRedact(secrets) };
  return async ({ file, value }) => {
    const model = { file, value: completeModel(value, env, catalogue) };
    const text = await tryModel(model, "text", context);
    const { functionCalling, vision } = value.capabilities ?? {};
    // A model that does not answer a text answers nothing else.
    if (!text.ok) return [text];
    const tool = functionCalling === false ? [] : [await tryModel(model, "tool", context)];
    return [text, ...tool, ...(hasPictures(model, vision) ? [await tryModel(model, "picture", context)] : [])];
  };

  /** Whether the definition or the catalogue states that the model sees pictures. Without both it is tried. */
  function hasPictures({ value }: { value: Project["models"][number]["value"] }, stated: boolean | undefined): boolean {
    return stated ?? modelFacts(value, env, catalogue).capabilities?.vision ?? true;
  }
}
