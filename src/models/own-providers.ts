// Attaches the providers that a project defines to the models that name them. The profile is made when such a model is first loaded, so that a
// project without providers loads none of its code.

import type { AnyModelDefinition, ProviderDefinition, Registry } from "#spec/index.ts";

import { attachedProvider, withProvider } from "./provider/attached-provider.ts";
import { providerNamed } from "./provider/providers.ts";

type Model = AnyModelDefinition;

/** The models with their providers, by the definitions of the models: requests compare models by identity. */
const attached = new WeakMap<Model, Model>();

/** A model with a provider of the project. `file` is the provider's path from the project's root. */
export async function withOwnProvider(model: Model, definition: ProviderDefinition, file: string): Promise<Model> {
  const { ownProfile } = await import("./provider/own/own-profile.ts");
  const profile = ownProfile(definition, file);
  const known = attached.get(model);
  if (known !== undefined && attachedProvider(known) === profile) return known;
  const complete = withProvider(model, profile);
  attached.set(model, complete);
  return complete;
}

/** The registry with a provider of the project in each model that names one. The names of built-in providers stay theirs. */
export function withOwnProviders(registry: Registry): Registry {
  const { providers = {}, files } = registry;
  if (Object.keys(providers).length === 0) return registry;
  const loadWhole = async (load: () => Promise<Model>): Promise<Model> => {
    const model = await load();
    const { provider: name } = model;
    const loadProvider = Object.hasOwn(providers, name) ? providers[name] : undefined;
    if (loadProvider === undefined || providerNamed(name) !== undefined) return model;
    return withOwnProvider(model, await loadProvider(), files?.providers?.[name] ?? "agents/providers/");
  };
  const models = Object.entries(registry.models).map(([name, load]) => [name, () => loadWhole(load)] as const);
  return { ...registry, models: Object.fromEntries(models) };
}
