// Finds profile, key and address of a call. Invariant: a key is read from the environment alone, never from a definition.

import type { AnyModelDefinition } from "#spec/index.ts";

import type { ProviderSettings } from "./provider/provider-profile.ts";
import { providerNamed, providers } from "./provider/providers.ts";

function firstText(env: Record<string, unknown>, names: readonly string[]): string | null {
  for (const name of names) {
    const value = env[name];
    if (typeof value === "string" && value.trim() !== "") return value.trim();
  }
  return null;
}

function withPath(address: string, defaultPath: string): string {
  const trimmed = address.replace(/\/+$/, "");
  return /^https?:\/\/[^/]+$/i.test(trimmed) ? trimmed + defaultPath : trimmed;
}

/** The variable in which users are asked to set the key of a provider; null for a provider without a key. */
export function keyVariable(provider: string): string | null {
  const known = providerNamed(provider);
  return known !== undefined && "variables" in known ? known.variables.keys[0] : null;
}

/** Settings of a call to a model; null if the key is not set or the provider is not called over the network. */
export function providerSettings(model: AnyModelDefinition, env: Record<string, unknown>): ProviderSettings | null {
  const known = providerNamed(model.provider);
  if (known === undefined || !("variables" in known)) return null;
  const { keys, baseUrls, defaultPath } = known.variables;
  const apiKey = firstText(env, keys);
  if (apiKey === null) return null;
  // The address of the definition takes precedence.
  const address = model.baseUrl ?? firstText(env, baseUrls);
  const baseUrl = address === null ? null : withPath(address, defaultPath);
  const host = baseUrl !== null && URL.canParse(baseUrl) ? new URL(baseUrl).host : null;
  const profile = known.atHost?.(model, host) ?? known;
  return { profile, apiKey, baseUrl, host, owner: profile.ownerAt?.(host) ?? profile.name };
}

/** All keys that are set. Each is removed from shown texts, whichever provider repeats it. */
export function knownSecrets(env: Record<string, unknown>): string[] {
  return providers
    .flatMap((provider) => ("variables" in provider ? provider.variables.keys : []))
    .map((name) => env[name])
    .filter((value) => typeof value === "string")
    .map((value) => value.trim());
}
