// The list of providers. A new provider is one file that implements `ProviderProfile`, and one entry here.

import type { AnyModelDefinition } from "#spec/index.ts";

import { anthropic } from "./anthropic.ts";
import { google } from "./google.ts";
import { openai, openaiResponses } from "./openai.ts";
import { openrouter } from "./openrouter.ts";
import type { LocalProvider, ProviderProfile } from "./provider-profile.ts";
import { test } from "./test.ts";

/** Every provider that a definition can use, in the order in which errors list them. */
export const providers: readonly (ProviderProfile | LocalProvider)[] = [
  openai,
  openaiResponses,
  openrouter,
  anthropic,
  google,
  test,
];

/** The provider with this name; undefined for an unknown name. */
export function providerNamed(name: string): ProviderProfile | LocalProvider | undefined {
  return providers.find((provider) => provider.name === name);
}

/** Why a provider cannot be used; undefined if it can be used. */
export function unavailableProvider(name: string): string | undefined {
  if (providerNamed(name) !== undefined) return undefined;
  return `provider "${name}" is not available yet; available are ${providers.map((known) => known.name).join(", ")}`;
}

/** Why a definition's `api` is refused; undefined if its provider accepts it. */
export function refusedApi({ provider, api }: Pick<AnyModelDefinition, "provider" | "api">): string | undefined {
  const known = providerNamed(provider);
  const apis = known !== undefined && "apis" in known ? (known.apis ?? []) : [];
  if (api === undefined || apis.includes(api)) return undefined;
  return `"${api}" is not a protocol of the provider "${provider}"`;
}
