// Models: which provider is asked, under which id, at what price, and what to try when it fails.
// The document's five providers are `ModelProvider`; ours stand in a wider union, so that a definition with one of
// the five has exactly the published type.

import type { ModelName } from "./register.ts";
import type { TestScript } from "./test-script.ts";

/** The providers the document names (Standard Agents, models). `test` needs no key and answers from `script`. */
export type ModelProvider = "openai" | "openrouter" | "anthropic" | "google" | "test";

/**
 * Providers beyond the document's. `openai-responses` is `openai` with `api: "responses"`; the others are not available yet:
 * a build refuses them.
 */
export type ExtraModelProvider =
  | "openai-responses"
  | "openai-compatible"
  | "azure"
  | "vertex"
  | "bedrock"
  | "workers-ai";

/** Every provider a definition may name. */
export type AnyModelProvider = ModelProvider | ExtraModelProvider;

/** What a model can do; false switches the feature off (Standard Agents, models). */
export interface ModelCapabilities {
  /** The model accepts images. Default true. If false, a line of text replaces each image. */
  vision?: boolean;
  /** Calls tools; true when absent. False sends no tools. */
  functionCalling?: boolean;
  /** Answers in a given JSON Schema. Does nothing yet: no request asks for a structured output. */
  structuredOutputs?: boolean;
}

/** How deep a model thinks before it answers. */
export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high";

/** Which parts of a request carry a cache mark at providers that want one. */
export type PromptCache = "auto" | "disabled" | { system?: boolean; tools?: boolean; messages?: boolean };

/** Back-off between attempts at one model request. Times are milliseconds. */
export interface RetryOptions {
  /** Attempts after the first; 0 never retries. Default 3. */
  maxRetries?: number;
  /** Wait before the first retry. Default 1,000. */
  initialDelayMs?: number;
  /** Factor from one wait to the next. Default 2. */
  multiplier?: number;
  /** Longest wait, before jitter. Default 30,000. */
  maxDelayMs?: number;
}

/** How long a model's connection may send nothing before the request is cancelled and made again. Times are milliseconds. */
export interface ModelTimeouts {
  /** The limit until the answer begins. Default 120,000; 600,000 for models that hide their thinking, such as o3 and gpt-5. */
  firstByteMs?: number;
  /** The limit from then on. Default 60,000; 600,000 for models that hide their thinking. */
  silenceMs?: number;
}

/** Where a server that speaks OpenAI's chat protocol differs from OpenAI's own. */
export interface ModelCompatibility {
  /** The request field that limits the answer's length. */
  maxTokensField?: "max_tokens" | "max_completion_tokens";
  /** Takes the `developer` role for the system prompt. */
  supportsDeveloperRole?: boolean;
  /** The model accepts `reasoning_effort`, or `reasoning` in the Responses API. Set it for models whose id does not show that. */
  supportsReasoningEffort?: boolean;
  /** The server accepts `stream_options.include_usage`. Default true, except for servers that are known to refuse it (Mistral). */
  supportsStreamUsage?: boolean;
}

/** The two protocols of OpenAI: the Responses API and Chat Completions. */
export type OpenAIProtocol = "responses" | "chat";

/**
 * A model (Standard Agents, models). Prices are USD per million tokens; without one the cost of a call is unknown.
 * The fields after `capabilities` are ours and all optional.
 */
export interface ModelDefinition<N extends string = string, P extends AnyModelProvider = ModelProvider> {
  /** The name prompts and fallbacks refer to. */
  name: N;
  /** The service asked; its key is read from `<PROVIDER>_API_KEY`. */
  provider: P;
  /** The provider's own id of the model, for example `gpt-4o` or, at OpenRouter, `anthropic/claude-3-opus`. */
  model: string;
  /** OpenRouter only: upstream providers in order of preference. */
  includedProviders?: string[];
  /** Models tried in order when this one's retries are used up. Their own fallbacks are not followed. */
  fallbacks?: ModelName[];
  /** USD per million uncached prompt tokens. */
  inputPrice?: number;
  /** USD per million tokens of the answer, reasoning included. */
  outputPrice?: number;
  /** USD per million prompt tokens read from the provider's cache; `inputPrice` when absent. */
  cachedPrice?: number;
  /** What the model can do. */
  capabilities?: ModelCapabilities;

  /**
   * The protocol of OpenAI to use, for `openai` and `openai-responses` only. Default: `responses` at OpenAI's own address and for
   * `openai-responses`, `chat` at any other address.
   */
  api?: OpenAIProtocol;
  /** Another address for the provider's API. */
  baseUrl?: string;
  /** Headers added to every request. */
  headers?: Record<string, string>;
  /** Sampling temperature; a prompt's own wins. */
  temperature?: number;
  /** Longest answer in tokens; a prompt's own wins. */
  maxTokens?: number;
  /** Tokens that fit in one request, prompt and answer together. */
  contextWindow?: number;
  /** Thinking when the prompt's `reasoning` says nothing. `off` asks the provider not to think. */
  thinkingLevel?: ThinkingLevel;
  /** Prompt caching. Default `auto`. */
  cache?: PromptCache;
  /** USD per million prompt tokens written to the provider's cache; `inputPrice` when absent. */
  cacheWritePrice?: number;
  /** Back-off between attempts. */
  retry?: RetryOptions;
  /** Limits of a connection's silence, after which a request is cancelled and retried. */
  timeouts?: ModelTimeouts;
  /** Differences of an OpenAI-compatible server. */
  compat?: ModelCompatibility;
  /** The answers of the `test` provider. */
  script?: TestScript;
}

/** A model with any provider: what the registry holds. */
export type AnyModelDefinition = ModelDefinition<string, AnyModelProvider>;

/** Declares a model; returns what it is given (Standard Agents, `defineModel`). */
export function defineModel<N extends string, P extends AnyModelProvider = ModelProvider>(
  options: ModelDefinition<N, P>,
): ModelDefinition<N, P> {
  return options;
}
