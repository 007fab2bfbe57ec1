// References to models with their options and connection settings, and their conversion to the definition that a request is made with.

import { fieldsOf } from "#lib/json-value.ts";
import { presentFields } from "#lib/present-fields.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import type { UPPError } from "./upp-error.ts";

/** The definition that a request is made with. */
export type ModelDefinition = AnyModelDefinition;

/** The abilities of a model. */
export interface LLMCapabilities {
  streaming: boolean;
  tools: boolean;
  structuredOutput: boolean;
  imageInput: boolean;
  documentInput: boolean;
  audioInput: boolean;
  videoInput: boolean;
}

/** An API key, a function that returns the key of the next request, or an object with such a function. */
export type KeySource = string | (() => string | Promise<string>) | { getKey(): string | Promise<string> };

/** Decides whether and when a failed request is repeated. */
export interface RetryStrategy {
  /**
   * Returns the milliseconds before the next attempt; null for no further attempt. `attempt` is the number of failed attempts, from 1.
   * The text of a failed attempt is not part of the turn; a stream then emits `message_start` again.
   */
  onRetry(error: UPPError, attempt: number): number | null | Promise<number | null>;
  /** Returns the milliseconds that a request waits before it is sent, for example to limit the rate. Called for each attempt. */
  beforeRequest?(): number | Promise<number>;
  /** Called if a request is aborted after `beforeRequest` and before it is sent. `remaining` is the remaining wait in milliseconds. */
  onAbort?(remaining: number): unknown;
  /** Called after a request succeeded. */
  reset?(): void;
}

/** Settings of the connection to a provider. */
export interface ProviderConfig {
  /** Default: the provider's environment variable, such as `ANTHROPIC_API_KEY`. */
  apiKey?: KeySource | undefined;
  /** The base URL of the API. Default: that of the provider. */
  baseUrl?: string | undefined;
  /** The maximum milliseconds without data from the provider. Default: 120,000 before the answer and 60,000 within it. */
  timeout?: number | undefined;
  /** Sends the requests. Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Headers added to every request. */
  headers?: Record<string, string> | undefined;
  /** Default: a failed request is not repeated. */
  retryStrategy?: RetryStrategy | undefined;
}

/** Options of one model. The options other than `capabilities` are those of `defineModel`. */
export interface ModelOptions extends Omit<
  Partial<ModelDefinition>,
  "name" | "provider" | "model" | "fallbacks" | "retry" | "timeouts" | "headers" | "baseUrl" | "capabilities"
> {
  /** Abilities that differ from those of the provider's API. Files of a type that the API does not accept are refused nevertheless. */
  capabilities?: Partial<Omit<LLMCapabilities, "streaming">>;
}

/** A provider: creates references to its models. */
export interface Provider {
  (modelId: string, options?: ModelOptions): ModelReference;
  /** The name of the provider in errors. */
  readonly name: string;
}

/** A reference to a model of a provider. */
export interface ModelReference {
  readonly modelId: string;
  readonly provider: Provider;
  readonly options: ModelOptions;
  /** The protocol of the provider's API. */
  readonly protocol: ModelDefinition["provider"];
  /** The settings that the provider was created with. */
  readonly config: ProviderConfig;
}

/**
 * Merges connection settings: `config` replaces settings of the provider, except that the headers of both are sent. A setting that is
 * undefined replaces none. Otherwise an undefined `apiKey` would send the key of the environment to the provider's `baseUrl`.
 */
export function mergedConfig(model: ModelReference, config: ProviderConfig = {}): ProviderConfig {
  const headers = { ...model.config.headers, ...config.headers };
  return { ...model.config, ...presentFields(config), headers };
}

/** Converts a reference to a model definition. Its `maxRetries` is 0, because the retry strategy decides about repetitions. */
export function definitionOf(model: ModelReference, config: ProviderConfig): ModelDefinition {
  const { capabilities: abilities = {}, ...options } = model.options;
  const { baseUrl, headers, timeout } = config;
  const known = { vision: abilities.imageInput, functionCalling: abilities.tools };
  const capabilities = presentFields(known);
  return {
    ...options,
    name: model.modelId,
    provider: model.protocol,
    model: model.modelId,
    retry: { maxRetries: 0 },
    capabilities,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(headers === undefined ? {} : { headers }),
    ...(timeout === undefined ? {} : { timeouts: { firstByteMs: timeout, silenceMs: timeout } }),
  };
}

/**
 * The key for the next request; undefined if the key is read from the environment. Throws if the setting has or returns no key: the key of
 * the environment is not used instead, because it may belong to another address.
 */
export async function keyOf({ apiKey }: ProviderConfig): Promise<string | undefined> {
  if (apiKey === undefined) return undefined;
  if (typeof apiKey !== "string" && typeof apiKey !== "function" && typeof fieldsOf(apiKey)["getKey"] !== "function")
    throw new Error("It has to be a text, a function, or an object with a function getKey.");
  const key: unknown =
    typeof apiKey === "string" ? apiKey : await (typeof apiKey === "function" ? apiKey() : apiKey.getKey());
  if (typeof key === "string" && key.trim() !== "") return key;
  throw new Error(`It has to be a text that is not empty; it is ${key === "" ? "empty" : typeof key}.`);
}
