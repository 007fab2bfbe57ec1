// Converts a model's config to the definition with which this package's providers are called, and to the variables that they read.

import { modelPresets } from "#spec/index.ts";
import type { AnyModelDefinition, ModelCompatibility, ThinkingLevel as SpecLevel } from "#spec/index.ts";

import { LoopError } from "../loop-error.ts";
import type { ModelConfig } from "./model-config.ts";
import type { CacheConfig, RetryConfig, ThinkingLevel } from "./stream-provider.ts";

/** The options of requests that are a part of the definition. */
export interface DefinitionOptions {
  thinkingLevel?: ThinkingLevel | undefined;
  cacheConfig?: CacheConfig | undefined;
  retryConfig?: RetryConfig | undefined;
}

/** The key of a config; undefined if it is read from the environment, or if requests have none. */
export function keyOf({ api_key }: ModelConfig): string | undefined {
  const key = api_key?.trim() ?? "";
  return key === "" ? undefined : key;
}

/** The definition of a model. The config is checked. Throws a LoopError for options that the model cannot have. */
export function definitionOf(config: ModelConfig, options: DefinitionOptions = {}): AnyModelDefinition {
  const { id, name, max_tokens, context_window, headers, cost, reasoning, api } = config;
  const { thinkingLevel: level = "Off", cacheConfig, retryConfig } = options;
  if (reasoning === false && level !== "Off")
    throw new LoopError(
      `The thinking level is "${level}", and \`model_config.reasoning\` is false. Set reasoning to true, or the level to "Off".`,
    );
  const compat = compatOf(config);
  return {
    name,
    model: id,
    ...serverOf(config),
    ...(api === "azure_openai_responses" ? { model: config.deployment ?? id } : {}),
    ...(max_tokens === undefined ? {} : { maxTokens: max_tokens }),
    ...(context_window === undefined ? {} : { contextWindow: context_window }),
    ...(headers === undefined ? {} : { headers }),
    ...(Object.keys(compat).length === 0 ? {} : { compat }),
    ...pricesOf(cost),
    // Off is left out, so that requests contain nothing about thinking (REQ-129).
    ...(level === "Off" ? {} : { thinkingLevel: sentLevel(level, config) }),
    ...(cacheConfig === undefined ? {} : { cache: cacheOf(cacheConfig) }),
    ...(retryConfig === undefined ? {} : { retry: retryOf(retryConfig) }),
  };
}

/** The level of a definition. REQ-130: the least effort of servers that are known to accept an effort is `low`. */
function sentLevel(level: Exclude<ThinkingLevel, "Off">, { api, compat }: ModelConfig): SpecLevel {
  const isLeast = api === "openai_completions" && compat?.supports_reasoning_effort === true && level === "Minimal";
  return isLeast ? "low" : (level.toLowerCase() as SpecLevel);
}

type Server = Pick<AnyModelDefinition, "provider" | "api" | "preset" | "baseUrl" | "keyVariable">;

/** The provider, the address, and the variable of the key. */
function serverOf(config: ModelConfig): Server {
  const { api, base_url } = config;
  const address = base_url === undefined ? {} : { baseUrl: base_url };
  // An empty key: requests have none, so that no key of the environment is sent to the address.
  const isKeyless = config.api_key !== undefined && keyOf(config) === undefined;
  if (isKeyless && base_url === undefined)
    throw new LoopError(
      "`model_config.api_key` is empty. Set it, or leave it out to read the environment. Only a server at `base_url` may need no key.",
    );
  const keyVariable = isKeyless ? { keyVariable: null } : {};
  switch (api) {
    case "anthropic_messages":
      return { provider: "anthropic", ...address, ...keyVariable };
    case "openai_completions":
      return { ...chatServerOf(config), ...address, ...keyVariable };
    case "openai_responses":
      return { provider: "openai-responses", ...address, ...keyVariable };
    case "azure_openai_responses":
      return { provider: "azure", ...azureAddress(config), ...keyVariable };
    case "google_generative_ai":
      return { provider: "google", ...address, ...keyVariable };
    case "google_vertex":
      return { provider: "vertex", ...address, ...keyVariable };
    case "bedrock_converse_stream":
      return { provider: "bedrock", ...address, ...keyVariable };
  }
}

/** The servers with Chat Completions that have a provider of their own. */
const chatServers: ReadonlyMap<string, Server> = new Map<string, Server>([
  ["openai", { provider: "openai", api: "chat" }],
  ["openrouter", { provider: "openrouter" }],
]);

/** The variables of the keys of servers whose own provider does not read `compat`. */
const keysWithCompat: ReadonlyMap<string, string> = new Map([["openrouter", "OPENROUTER_API_KEY"]]);

/** The server of a model with Chat Completions. The key of OpenAI is sent only if the config names OpenAI. */
function chatServerOf({ provider, base_url, compat }: ModelConfig): Server {
  const keyVariable = keysWithCompat.get(provider);
  const own = compat !== undefined && keyVariable !== undefined ? undefined : chatServers.get(provider);
  if (own !== undefined) return own;
  if (isKnownServer(provider)) return { provider: "openai-compatible", preset: provider };
  if (base_url !== undefined)
    return { provider: "openai-compatible", ...(keyVariable === undefined ? {} : { keyVariable }) };
  const known = [...chatServers.keys(), ...Object.keys(modelPresets)].join(", ");
  throw new LoopError(
    `\`model_config.base_url\` is missing, and the provider "${provider}" is not among the known servers (${known}).`,
  );
}

function azureAddress({ base_url, resource, api_version }: ModelConfig): Pick<Server, "baseUrl"> {
  const address = base_url ?? (resource === undefined ? undefined : `https://${resource}.openai.azure.com/openai`);
  if (address === undefined) return {};
  if (api_version === undefined) return { baseUrl: base_url ?? `${address}/v1` };
  const url = new URL(address);
  url.searchParams.set("api-version", api_version);
  return { baseUrl: url.href };
}

function compatOf({ compat = {}, reasoning, api }: ModelConfig): ModelCompatibility {
  const isOpenai = /^(?:openai|azure)_/.test(api);
  const effort = compat.supports_reasoning_effort ?? (reasoning === true && isOpenai ? true : undefined);
  const { max_tokens_field: field, supports_developer_role: role, supports_usage_in_streaming: usage } = compat;
  return {
    ...(field === undefined ? {} : { maxTokensField: field }),
    ...(role === undefined ? {} : { supportsDeveloperRole: role }),
    ...(effort === undefined ? {} : { supportsReasoningEffort: effort }),
    ...(usage === undefined ? {} : { supportsStreamUsage: usage }),
  };
}

function pricesOf(cost: ModelConfig["cost"]): Partial<AnyModelDefinition> {
  const { input_per_million, output_per_million, cache_read_per_million, cache_write_per_million } = cost ?? {};
  return {
    ...(input_per_million === undefined ? {} : { inputPrice: input_per_million }),
    ...(output_per_million === undefined ? {} : { outputPrice: output_per_million }),
    ...(cache_read_per_million === undefined ? {} : { cachedPrice: cache_read_per_million }),
    ...(cache_write_per_million === undefined ? {} : { cacheWritePrice: cache_write_per_million }),
  };
}

function cacheOf({ enabled, strategy }: CacheConfig): NonNullable<AnyModelDefinition["cache"]> {
  if (!enabled || strategy === "Disabled") return "disabled";
  if (strategy === "Auto") return "auto";
  const { cache_system: system, cache_tools: tools, cache_messages: messages } = strategy.Manual;
  return { system, tools, messages };
}

function retryOf(config: RetryConfig): NonNullable<AnyModelDefinition["retry"]> {
  return {
    maxRetries: config.max_retries,
    initialDelayMs: config.initial_delay_ms,
    multiplier: config.backoff_multiplier,
    maxDelayMs: config.max_delay_ms,
  };
}

/** The variables for the requests of a config: those of the environment, and the parts of an address that the config has. */
export function variablesOf(config: ModelConfig, env: Record<string, unknown>): Record<string, unknown> {
  const { region, project, location } = config;
  const vertexPlace = project === undefined && location === undefined ? {} : { GOOGLE_VERTEX_BASE_URL: undefined };
  return {
    ...env,
    ...(region === undefined ? {} : { AWS_REGION: region, AWS_ENDPOINT_URL_BEDROCK_RUNTIME: undefined }),
    ...vertexPlace,
    ...(project === undefined ? {} : { GOOGLE_VERTEX_PROJECT: project }),
    ...(location === undefined ? {} : { GOOGLE_VERTEX_LOCATION: location }),
  };
}

/** Whether `provider` names a server whose address is known. */
function isKnownServer(provider: string): provider is keyof typeof modelPresets {
  return Object.hasOwn(modelPresets, provider);
}
