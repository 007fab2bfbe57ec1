// Attaches a provider of the project's own to a model, so that each function that receives the model finds the provider without the project's
// registry. Copies of the model with the spread syntax keep it. No JSON can contain it.

import type { ProviderProfile } from "./provider-profile.ts";

const key = Symbol("provider");

/** The attached provider of a model; undefined for a model of a built-in provider. */
export function attachedProvider(model: object): ProviderProfile | undefined {
  return (model as { [key]?: ProviderProfile })[key];
}

/** A copy of a model with a provider. */
export function withProvider<Model extends object>(model: Model, provider: ProviderProfile): Model {
  return { ...model, [key]: provider };
}
