// Tries a model with the variables and bindings of a Worker. It is loaded with the first trial, because most isolates make none.

import { boundedFetch, createRequestQueue } from "#lib/bounded-fetch.ts";
import { isScripted, notReadyMessage, readiness } from "#models/readiness.ts";
import { modelTester, type TrialOptions } from "#models/trial/model-tester.ts";
import type { Trial } from "#models/trial/model-trial.ts";
import type { AnyModelDefinition, Registry } from "#spec/index.ts";

interface TestedModel {
  file: string;
  value: AnyModelDefinition;
}

/** The trials of a model; otherwise the reason why no request can be sent. */
export async function testModel(
  model: TestedModel,
  options: TrialOptions,
  { registry, env }: { registry: Pick<Registry, "catalogue">; env: Record<string, unknown> },
): Promise<{ problem: string } | { trials: Trial[] }> {
  const { value } = model;
  if (isScripted(value))
    return {
      problem: `Model "${value.name}" answers from its script and sends no requests, so there is nothing to test.`,
    };
  if (!readiness(value, env).ready) return { problem: notReadyMessage(value, env) };
  const queue = createRequestQueue(1);
  const test = modelTester(registry, { variables: env, fetch: boundedFetch(queue, (...call) => fetch(...call)) });
  return { trials: await test(model, options) };
}
