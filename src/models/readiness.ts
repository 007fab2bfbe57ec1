// Says whether a model could be called with the variables that are set, for the definitions routes and for the error a
// call ends with. The one place that words what is missing.

import type { ModelFailure } from "#core/ports/model-port.ts";
import { unavailableProvider } from "#spec/availability.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { isNetworkProvider, keyVariable, providerSettings } from "./provider-settings.ts";

/** Whether a model can be called; `missing` names the variable to set, and is null when none is. */
export interface Readiness {
  ready: boolean;
  missing: string | null;
}

/** Whether a model is ready to be called (contract: models carry `ready` and `missing`). */
export function readiness(model: AnyModelDefinition, env: Record<string, unknown>): Readiness {
  if (model.provider === "test") return { ready: model.script !== undefined, missing: null };
  if (!isNetworkProvider(model.provider)) return { ready: false, missing: null };
  if (providerSettings(model, env) !== null) return { ready: true, missing: null };
  return { ready: false, missing: keyVariable(model.provider) };
}

/** A refused key is mended where it is kept: the message says where. */
export function withKeyHint(failure: ModelFailure, model: AnyModelDefinition): ModelFailure {
  if (failure.kind !== "auth" || !isNetworkProvider(model.provider)) return failure;
  return { ...failure, message: `${failure.message} (The key is read from ${keyVariable(model.provider)}.)` };
}

/** Why a model that is not ready cannot be called, and what to do. */
export function notReadyMessage(model: AnyModelDefinition): string {
  if (!isNetworkProvider(model.provider)) {
    return `Model "${model.name}": ${unavailableProvider(model.provider) ?? `provider "${model.provider}" is never asked`}.`;
  }
  const variable = keyVariable(model.provider);
  return (
    `Model "${model.name}" needs ${variable}, which is not set. For local development put ${variable}=… into .dev.vars; ` +
    `for a deployment run: npx wrangler secret put ${variable}`
  );
}
