// What a loop requests its answers from: the provider of its config, or the program's own.

import { toolHostOf } from "#core/ports/tool-host.ts";
import type { ThreadState } from "#spec/index.ts";

import { LoopError } from "../loop-error.ts";
import type { LoopModels } from "../loop-models.ts";
import { providerIds } from "./api-protocol.ts";
import { checkThinkingLevel } from "./model-config-check.ts";
import { modelConfig, type ModelConfig } from "./model-config.ts";
import { definitionOf, type DefinitionOptions } from "./model-definition.ts";
import { checkProvider, idOf } from "./provider-id.ts";
import { portOf, type ProviderConnection } from "./provider-port.ts";
import { ProviderRegistry } from "./provider-registry.ts";
import { checkCacheConfig } from "./request-checks.ts";
import { retryConfigOf, type RetryConfig } from "./retry-config.ts";
import type { CacheConfig, StreamProvider, ThinkingLevel } from "./stream-provider.ts";
import { toModelPort } from "./to-model-port.ts";

/** The options of a loop that concern its model. */
export interface ModelOptions {
  modelConfig: ModelConfig;
  /** A provider in place of the one that `modelConfig.api` names. */
  providerOverride?: StreamProvider | undefined;
  thinkingLevel?: ThinkingLevel | undefined;
  cacheConfig?: CacheConfig | undefined;
  retryConfig?: RetryConfig | undefined;
  /** The state of a thread's tool, for a loop in a call of it. */
  in?: ThreadState | undefined;
}

/**
 * The models of a loop. Throws a LoopError for a wrong option. Nothing is sent, and no code of a provider is loaded, before the first request.
 * `connection`: the environment variables and the fetch of this package's providers. Default: those of the thread, or else of the process.
 */
export function modelsOf(options: ModelOptions, connection?: ProviderConnection): LoopModels {
  const { modelConfig: given, providerOverride, thinkingLevel, cacheConfig } = options;
  const model_config = modelConfig(given);
  if (thinkingLevel !== undefined) checkThinkingLevel(thinkingLevel);
  if (cacheConfig !== undefined) checkCacheConfig(cacheConfig);
  const request = { thinkingLevel, cacheConfig, retryConfig: retryConfigOf(options.retryConfig) };
  if (providerOverride === undefined)
    return ownModels(model_config, { given, request, connection: connection ?? connectionIn(options.in) });
  checkProvider(providerOverride, "providerOverride");
  const provider = chosen(providerOverride, model_config);
  const provider_id = idOf(provider);
  return {
    port: toModelPort(provider, { model_config, thinking_level: thinkingLevel, cache_config: cacheConfig }),
    // The provider is not one of this package, so only the limits, prices and delays of the definition count.
    model: definitionOf(withAddress(model_config), request),
    provider_id,
  };
}

/** The connection of the thread in whose tool a loop runs. Its object can become idle only if no connection stays open after an answer. */
function connectionIn(state: ThreadState | undefined): ProviderConnection | undefined {
  const host = state === undefined ? undefined : toolHostOf(state);
  return host === undefined ? undefined : { env: host.env, fetch: host.fetch, reusesConnections: false };
}

/** The models of this package's providers, by their port itself. */
function ownModels(
  config: ModelConfig,
  {
    given,
    request,
    connection,
  }: { given: object; request: DefinitionOptions; connection: ProviderConnection | undefined },
): LoopModels {
  return {
    port: portOf(config, given, connection),
    model: definitionOf(config, request),
    provider_id: providerIds[config.api],
  };
}

/** The provider of a config in a registry. Any other provider answers itself. */
function chosen(provider: StreamProvider, { api }: ModelConfig): StreamProvider {
  if (!(provider instanceof ProviderRegistry)) return provider;
  const found = provider.get(api);
  if (found !== undefined) return found;
  throw new LoopError(
    `The registry has no provider for the protocol "${api}". Register one, or use ProviderRegistry.default().`,
  );
}

/** A config for a provider that needs neither an address nor a key. */
function withAddress(config: ModelConfig): ModelConfig {
  const { api_key: _key, ...data } = config;
  return { base_url: "http://localhost", ...data };
}
