// Where each provider's key and address come from. Invariant: a provider that is not in this table is never called, and
// a key is looked for in the environment alone, never in a definition.

import type { AnyModelDefinition } from "#spec/index.ts";

/** The values of a model's `provider` that are reached over the network and supported today. */
type KeyedProvider = "openai" | "openai-responses" | "anthropic" | "google" | "openrouter";

/**
 * The protocols spoken over the network. OpenAI has three: `openai` is Chat Completions at its own address,
 * `openai-compatible` Chat Completions at any other, `openai-responses` the Responses API wherever it is served.
 */
export type NetworkProvider = KeyedProvider | "openai-compatible";

/** Key and address of one call. */
export interface ProviderSettings {
  provider: NetworkProvider;
  apiKey: string;
  /** Null: the provider's own. */
  baseUrl: string | null;
  /**
   * The owner of opaque data that this request may carry. Data stored under another owner is not sent. For OpenAI's protocols
   * the owner includes the host, because a server can read only the reasoning that it made itself.
   */
  owner: string;
}

interface Variables {
  /** Names of the key, the first being the one we tell people of. */
  keys: readonly [string, ...string[]];
  baseUrls: readonly string[];
  /** Path of the API, added to an address that is only a host, as other tools write it. */
  defaultPath: string;
}

const openai: Variables = { keys: ["OPENAI_API_KEY"], baseUrls: ["OPENAI_BASE_URL"], defaultPath: "/v1" };

const variables: Record<KeyedProvider, Variables> = {
  openai,
  // The same as `openai`, but with the Responses API at any address.
  "openai-responses": openai,
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
export function isNetworkProvider(provider: string): provider is KeyedProvider {
  return Object.hasOwn(variables, provider);
}

/** The variable a provider's key is asked for in. */
export function keyVariable(provider: KeyedProvider): string {
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

/** The host of an address, in lower case; null for the provider's own address and for an invalid address. */
export function hostOf(baseUrl: string | null): string | null {
  return baseUrl !== null && URL.canParse(baseUrl) ? new URL(baseUrl).host : null;
}

// `eu.api.openai.com` and the like are OpenAI's regional addresses.
const openaiHost = /^([a-z0-9-]+\.)?api\.openai\.com$/;

/** The default protocol by address: OpenAI's current models accept tools with reasoning in the Responses API only, and other servers speak Chat Completions. */
function openaiProtocol({ provider, api }: AnyModelDefinition, host: string | null): NetworkProvider {
  const atOpenai = host === null || openaiHost.test(host);
  const chosen = api ?? (provider === "openai-responses" || atOpenai ? "responses" : "chat");
  if (chosen === "responses") return "openai-responses";
  return atOpenai ? "openai" : "openai-compatible";
}

/** Key and address for a model, or null where its key is not set. A definition's own address wins. */
export function providerSettings(model: AnyModelDefinition, env: Record<string, unknown>): ProviderSettings | null {
  const { provider } = model;
  if (!isNetworkProvider(provider)) return null;
  const { keys, baseUrls, defaultPath } = variables[provider];
  const apiKey = firstText(env, keys);
  if (apiKey === null) return null;
  const address = model.baseUrl ?? firstText(env, baseUrls);
  const baseUrl = address === null ? null : withPath(address, defaultPath);
  if (provider !== "openai" && provider !== "openai-responses") return { provider, apiKey, baseUrl, owner: provider };
  const host = hostOf(baseUrl);
  const protocol = openaiProtocol(model, host);
  const owner = host === null || openaiHost.test(host) ? protocol : `${protocol} ${host}`;
  return { provider: protocol, apiKey, baseUrl, owner };
}

/** Every key that is set, so that each can be cut out of what is shown, whichever provider repeats it. */
export function knownSecrets(env: Record<string, unknown>): string[] {
  return Object.values(variables)
    .flatMap(({ keys }) => keys)
    .map((name) => env[name])
    .filter((value) => typeof value === "string")
    .map((value) => value.trim());
}
