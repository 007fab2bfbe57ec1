// Where each provider's key and address come from. Invariant: a provider that is not in this table is never called, and
// a key is looked for in the environment alone, never in a definition.

import type { AnyModelDefinition } from "#spec/index.ts";

/** The providers that are reached over the network and work today. */
export type NetworkProvider = "openai" | "anthropic" | "google" | "openrouter";

/** Key and address of one call. */
export interface ProviderSettings {
  provider: NetworkProvider;
  apiKey: string;
  /** Null: the provider's own. */
  baseUrl: string | null;
}

interface Variables {
  /** Names of the key, the first being the one we tell people of. */
  keys: readonly [string, ...string[]];
  baseUrls: readonly string[];
  /** Path of the API, added to an address that is only a host, as other tools write it. */
  defaultPath: string;
}

const variables: Record<NetworkProvider, Variables> = {
  openai: { keys: ["OPENAI_API_KEY"], baseUrls: ["OPENAI_BASE_URL"], defaultPath: "/v1" },
  anthropic: { keys: ["ANTHROPIC_API_KEY"], baseUrls: ["ANTHROPIC_BASE_URL"], defaultPath: "/v1" },
  google: {
    keys: ["GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
    // The package reads no variable of its own for this; both spellings follow its key's.
    baseUrls: ["GOOGLE_BASE_URL", "GOOGLE_GENERATIVE_AI_BASE_URL"],
    defaultPath: "/v1beta",
  },
  openrouter: { keys: ["OPENROUTER_API_KEY"], baseUrls: ["OPENROUTER_BASE_URL"], defaultPath: "/api/v1" },
};

/** Whether a provider is one this table knows. */
export function isNetworkProvider(provider: string): provider is NetworkProvider {
  return Object.hasOwn(variables, provider);
}

/** The variable a provider's key is asked for in. */
export function keyVariable(provider: NetworkProvider): string {
  return variables[provider].keys[0];
}

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

/** Key and address for a model, or null where its key is not set. A definition's own address wins. */
export function providerSettings(model: AnyModelDefinition, env: Record<string, unknown>): ProviderSettings | null {
  const { provider } = model;
  if (!isNetworkProvider(provider)) return null;
  const { keys, baseUrls, defaultPath } = variables[provider];
  const apiKey = firstText(env, keys);
  if (apiKey === null) return null;
  const address = model.baseUrl ?? firstText(env, baseUrls);
  return { provider, apiKey, baseUrl: address === null ? null : withPath(address, defaultPath) };
}

/** Every key that is set, so that each can be cut out of what is shown, whichever provider repeats it. */
export function knownSecrets(env: Record<string, unknown>): string[] {
  return Object.values(variables)
    .flatMap(({ keys }) => keys)
    .map((name) => env[name])
    .filter((value) => typeof value === "string")
    .map((value) => value.trim());
}
