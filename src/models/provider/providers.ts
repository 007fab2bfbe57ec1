// The list of providers. A new provider is one file that implements `ProviderProfile`, and one entry here, or in `clouds.ts` for a cloud and a binding.

import { anthropic } from "./anthropic.ts";
import { attachedProvider } from "./attached-provider.ts";
import { google } from "./google.ts";
import { namedServer } from "./openai-compatible.ts";
import { openai, openaiResponses } from "./openai.ts";
import { openrouter } from "./openrouter.ts";
import type { LocalProvider, ProviderProfile, RefusableFields, RefusedField } from "./provider-profile.ts";
import { test } from "./test.ts";

const all: (ProviderProfile | LocalProvider)[] = [
  openai,
  openaiResponses,
  namedServer,
  openrouter,
  anthropic,
  google,
  test,
];

/** Every provider that a definition can use, in the order in which errors list them. */
export const providers: readonly (ProviderProfile | LocalProvider)[] = all;

/** Adds providers to the list, once. A program that does not call it contains nothing of them. */
export function addProviders(more: readonly ProviderProfile[]): void {
  all.splice(all.indexOf(test), 0, ...more.filter((provider) => !all.includes(provider)));
}

/** The built-in provider with this name; undefined for an unknown name. */
export function providerNamed(name: string): ProviderProfile | LocalProvider | undefined {
  return providers.find((provider) => provider.name === name);
}

/** The provider of a model: the project's own one that is attached to it, or the built-in one with its name. */
export function providerOf(model: Pick<RefusableFields, "provider">): ProviderProfile | LocalProvider | undefined {
  return attachedProvider(model) ?? providerNamed(model.provider);
}

/** Why the provider of a model cannot be used; undefined if it can be used. */
export function unavailableProvider(model: Pick<RefusableFields, "provider">): string | undefined {
  if (providerOf(model) !== undefined) return undefined;
  return `provider "${model.provider}" does not exist; available are ${providers.map((known) => known.name).join(", ")}`;
}

/** The first field that the provider of a definition does not accept; undefined if it accepts all of them. */
export function refusedField(model: RefusableFields): RefusedField | undefined {
  const { provider, api, preset, baseUrl, keyVariable, gateway } = model;
  const known = providerOf(model);
  if (known === undefined) return undefined;
  const profile = "variables" in known ? known : undefined;
  const own = profile?.refusedField?.(model);
  if (own !== undefined) return own;
  if (gateway !== undefined && profile?.variables.binding === undefined) {
    const variables = profile?.variablesOf?.(model) ?? profile?.variables;
    if (baseUrl !== undefined)
      return { field: "gateway", reason: "baseUrl and gateway are two addresses of one model; leave out one of them" };
    if (variables?.gatewayPath === undefined) {
      const of = preset === undefined ? `the provider "${provider}"` : `the preset "${preset}"`;
      return { field: "gateway", reason: `AI Gateway has no address for ${of}; leave out gateway, or use its baseUrl` };
    }
  }
  if (api !== undefined && profile?.apis?.includes(api) !== true)
    return { field: "api", reason: `"${api}" is not a protocol of the provider "${provider}"` };
  const presets = profile?.presets;
  if (preset !== undefined && presets?.includes(preset) !== true) {
    const fix = presets === undefined ? 'use provider: "openai-compatible"' : `expected one of ${presets.join(", ")}`;
    return { field: "preset", reason: `the provider "${provider}" has no preset "${preset}"; ${fix}` };
  }
  if (presets !== undefined && preset === undefined && baseUrl === undefined) {
    const reason = `the provider "${provider}" needs the address of the server: a baseUrl, or a preset (${presets.join(", ")})`;
    return { field: "baseUrl", reason };
  }
  if (keyVariable === null && preset === undefined && baseUrl === undefined && gateway === undefined)
    return {
      field: "keyVariable",
      reason: `the provider "${provider}" needs a key; null is for a server at a baseUrl, or a gateway that has the key`,
    };
  return undefined;
}
