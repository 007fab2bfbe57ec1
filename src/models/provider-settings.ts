// Finds the provider profile, the API key and the address for a model request. Invariant: a key is read from the environment, or passed by
// the process that makes the request, and never from a definition.

import type { AnyModelDefinition } from "#spec/index.ts";

import type { FactTable } from "./provider/facts/fact-table.ts";
import type { ProviderProfile, ProviderSettings } from "./provider/provider-profile.ts";
import { providerNamed, providers } from "./provider/providers.ts";

function firstText(env: Record<string, unknown>, names: readonly string[]): string | null {
  for (const name of names) {
    const value = env[name];
    if (typeof value === "string" && value.trim() !== "") return value.trim();
  }
  return null;
}

function withPath(address: string, defaultPath: string): string {
  const trimmed = address.replace(/(?<!\/)\/+$/, "");
  return /^https?:\/\/[^/]+$/i.test(trimmed) ? trimmed + defaultPath : trimmed;
}

/** The environment variable in which users set the key of a provider; null for a provider without a key. */
export function keyVariable(provider: string): string | null {
  const known = providerNamed(provider);
  return known !== undefined && "variables" in known ? known.variables.keys[0] : null;
}

/** The hosts of the last addresses. Parsing an address takes longer than most other parts of a request's settings. */
const hosts = new Map<string, string | null>();
const mostHosts = 100;

/** The host of an address; null if the address is not a URL. */
function hostOf(address: string): string | null {
  const known = hosts.get(address);
  if (known !== undefined) return known;
  const host = URL.canParse(address) ? new URL(address).host : null;
  if (hosts.size === mostHosts) hosts.clear();
  hosts.set(address, host);
  return host;
}

/** The address for requests to a model, its host, and the profile of the protocol at this host. */
function destinationOf(model: AnyModelDefinition, known: ProviderProfile, env: Record<string, unknown>) {
  const { baseUrls, defaultPath } = known.variables;
  // The address of the definition takes precedence.
  const address = model.baseUrl ?? firstText(env, baseUrls);
  const baseUrl = address === null ? null : withPath(address, defaultPath);
  const host = baseUrl === null ? null : hostOf(baseUrl);
  return { baseUrl, host, profile: known.atHost?.(model, host) ?? known };
}

/** The table with the token limits of a model, whether or not its key is set; empty if none are known at its address. */
export function factTableOf(model: AnyModelDefinition, env: Record<string, unknown>): FactTable {
  const known = providerNamed(model.provider);
  if (known === undefined || !("variables" in known)) return [];
  const { profile, host } = destinationOf(model, known, env);
  return profile.factsAt?.(host) ?? [];
}

/** The access to a model in place of the environment's: its API key and its fetch. An absent field is the environment's or the port's. */
export interface ModelAccess {
  apiKey?: string;
  fetch?: typeof globalThis.fetch;
}

/** The settings for requests to a model; null if the key is not set or the provider is not called over the network. */
export function providerSettings(
  model: AnyModelDefinition,
  env: Record<string, unknown>,
  access: Pick<ModelAccess, "apiKey"> = {},
): ProviderSettings | null {
  const known = providerNamed(model.provider);
  if (known === undefined || !("variables" in known)) return null;
  const apiKey = access.apiKey ?? firstText(env, known.variables.keys);
  if (apiKey === null) return null;
  const { profile, baseUrl, host } = destinationOf(model, known, env);
  return { profile, apiKey, baseUrl, host, owner: profile.ownerAt?.(host) ?? profile.name };
}

/** All keys that are set. Each is removed from shown texts, because any provider may repeat it. */
export function knownSecrets(env: Record<string, unknown>): string[] {
  return providers
    .flatMap((provider) => ("variables" in provider ? provider.variables.keys : []))
    .map((name) => env[name])
    .filter((value) => typeof value === "string")
    .map((value) => value.trim());
}
