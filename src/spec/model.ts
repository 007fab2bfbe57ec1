// Model definitions: the provider and its model id, prices, options and fallbacks. `ModelProvider` are the five providers of
// Standard Agents and `ExtraModelProvider` the additional ones, so that a definition with one of the five has the published type.

import type { ModelGateway } from "./model-gateway.ts";
import type { PresetName } from "./model-preset.ts";
import type { ModelName, ProviderName } from "./register.ts";
import type { TestScript } from "./test-script.ts";

/** The published providers (Standard Agents, models). `test` needs no API key and answers from `script`. */
export type ModelProvider = "openai" | "openrouter" | "anthropic" | "google" | "test";

/**
 * Additional providers. `openai-responses` equals `openai` with `api: "responses"`, and `openai-compatible` is any server with OpenAI's Chat
 * Completions, by `preset` or `baseUrl`. `workers-ai` are the models that the Worker's binding `AI` reaches, without a key. `azure` are
 * deployments of Azure, whose names are the models, `bedrock` are the models of Amazon Bedrock, and `vertex` are Gemini and Claude at Vertex AI.
 */
export type ExtraModelProvider =
  | "openai-responses"
  | "openai-compatible"
  | "azure"
  | "vertex"
  | "bedrock"
  | "workers-ai";

/** Every provider that a definition may name: the built-in ones, and those of `agents/providers/`. */
export type AnyModelProvider = ModelProvider | ExtraModelProvider | ProviderName;

/** Capabilities of a model; false disables the feature (Standard Agents, models). */
export interface ModelCapabilities {
  /** The model accepts images. Default true. If false, a line of text replaces each image. */
  vision?: boolean;
  /** The model accepts tools. Default true. If false, requests contain no tools. */
  functionCalling?: boolean;
  /**
   * The model supports structured output. If false, structured answers are the arguments of a forced tool call. Default: depends on the
   * provider and the model.
   */
  structuredOutputs?: boolean;
}

/**
 * A tool that the provider of a model executes itself, such as a web search: its type, and the fields of that type in the documentation of the
 * provider's API. Tools of Google have no type there; `{ type: "google_search" }` is its field `google_search`.
 */
export interface ModelProviderTool {
  /** Such as `web_search_20250305` (Anthropic), `web_search` (OpenAI) or `google_search` (Google). */
  type: string;
  [field: string]: ModelProviderToolValue;
}

/** A JSON value in the fields of a provider's tool. */
export type ModelProviderToolValue =
  | null
  | boolean
  | number
  | string
  | ModelProviderToolValue[]
  | { [field: string]: ModelProviderToolValue };

/** How much a model reasons before it answers. */
export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high";

/** Which parts of a request are marked for the provider's prompt cache, for providers that need marks. */
export type PromptCache = "auto" | "disabled" | { system?: boolean; tools?: boolean; messages?: boolean };

/** Delays between the attempts of one model request. */
export interface RetryOptions {
  /** Number of attempts after the first; 0 for none. Default 3. */
  maxRetries?: number;
  /** Milliseconds before the first retry. Default 1,000. */
  initialDelayMs?: number;
  /** Factor between consecutive delays. Default 2. */
  multiplier?: number;
  /** Maximal delay in milliseconds, before jitter. Default 30,000. */
  maxDelayMs?: number;
}

/** How many milliseconds a provider may send nothing before the request is cancelled and retried. */
export interface ModelTimeouts {
  /** Until the answer begins. Default 120,000; 600,000 for models that do not send their reasoning, such as o3 and gpt-5. */
  firstByteMs?: number;
  /** After the answer has begun. Default 60,000; 600,000 for models that do not send their reasoning. */
  silenceMs?: number;
}

/**
 * The rules by which schemas of tools are converted: those of OpenAI, those of other servers, which include those of llama.cpp, or those of
 * the provider that a gateway forwards a request to.
 */
export type SchemaRules = "openai" | "compatible" | "anthropic" | "google" | "moonshot";

/**
 * How a server with OpenAI's protocols differs from OpenAI's own. A field that is left out is filled from what is known of the server's
 * host, else of the model's id (docs/reference/providers/openai-compatible.md).
 */
export interface ModelCompatibility {
  /** The request field for the maximal length of the answer. */
  maxTokensField?: "max_tokens" | "max_completion_tokens";
  /** The server accepts the role `developer` for the system prompt. */
  supportsDeveloperRole?: boolean;
  /** The model accepts `reasoning_effort`, or `reasoning` in the Responses API. Set it for models whose id does not show that. */
  supportsReasoningEffort?: boolean;
  /** The server accepts `stream_options.include_usage`. Default true, except for servers that are known to refuse it (Mistral). */
  supportsStreamUsage?: boolean;
  /** The model accepts `temperature`. Default true, except for OpenAI's reasoning models. */
  supportsTemperature?: boolean;
  /** The model accepts `parallel_tool_calls`. Default true, except for OpenAI's o1 to o4. */
  supportsParallelToolCalls?: boolean;
  /** The server accepts only ids of tool calls with nine letters and digits. Default false, except for Mistral. */
  shortCallIds?: boolean;
  /**
   * The assistant messages that the server refuses without `reasoning_content`: all, those with calls, or none. Default `none`, except for
   * servers and current models of DeepSeek (`all`) and Kimi (`calls`). It applies to OpenRouter too.
   */
  requiresThinking?: "all" | "calls" | "none";
  /** The `reasoning_content` of a required message without thinking. Default an empty text, for Kimi a space. */
  emptyThinking?: string;
  /** The field that turns thinking off: `reasoning_effort: "none"`, `thinking: { type: "disabled" }` or `enable_thinking: false`. */
  thinkingOffField?: "reasoning_effort" | "thinking" | "enable_thinking";
  /**
   * Responses API only: the server accepts earlier thinking that it did not encrypt. Default false, except for open models such as `gpt-oss`.
   */
  plainThinking?: boolean;
  /**
   * The rules for the schemas of tools. Default: by the model's id (`claude`, `gemini`, `kimi`) and the server, else `openai` at OpenAI and in
   * the Responses API, `anthropic` at OpenRouter, and `compatible` at other servers.
   */
  schemaRules?: SchemaRules;
}

/** Prices of tokens in USD per million tokens. */
export interface TokenPrices {
  /** Uncached tokens of the prompt. */
  inputPrice?: number;
  /** Tokens of the answer, including reasoning. */
  outputPrice?: number;
  /** Tokens of the prompt that are read from the provider's cache. */
  cachedPrice?: number;
  /** Tokens of the prompt that are written to the provider's cache. */
  cacheWritePrice?: number;
}

/** The prices of a request with a long prompt. An absent price is that of other requests. */
export interface LongPromptPrices extends TokenPrices {
  /** They apply to all tokens of a request whose prompt, cached tokens included, has more tokens than this. */
  above: number;
}

/** OpenAI's protocols: the Responses API and Chat Completions. */
export type OpenAIProtocol = "responses" | "chat";

/**
 * A model (Standard Agents, models). Prices are USD per million tokens; an absent price is that of the catalogue for the model at the
 * provider's own address, and without a price the cost of a request is unknown. The fields after `capabilities` are additions, all optional.
 */
export interface ModelDefinition<N extends string = string, P extends AnyModelProvider = ModelProvider> {
  /** The name that prompts and fallbacks use. */
  name: N;
  /** The provider. Its API key is read from the environment variable `<PROVIDER>_API_KEY`, or from `keyVariable`. */
  provider: P;
  /**
   * The provider's id of the model, for example `gpt-5.4-mini`, `anthropic/claude-sonnet-5` at OpenRouter, or `@cf/zai-org/glm-4.7-flash` of
   * Workers AI.
   */
  model: string;
  /** OpenRouter only: upstream providers in order of preference. A build refuses them for other providers. */
  includedProviders?: string[];
  /** Models to use in order when all retries of this one have failed. Their own fallbacks are not used. */
  fallbacks?: ModelName[];
  /** USD per million uncached prompt tokens. */
  inputPrice?: number;
  /** USD per million tokens of the answer, including reasoning. */
  outputPrice?: number;
  /** USD per million prompt tokens read from the provider's cache. Default: `inputPrice`. */
  cachedPrice?: number;
  /** Capabilities of the model. */
  capabilities?: ModelCapabilities;

  /**
   * The protocol of OpenAI to use, for `openai` and `openai-responses` only. Default: `responses` at OpenAI's own address and for
   * `openai-responses`, `chat` at any other address.
   */
  api?: OpenAIProtocol;
  /** `openai-compatible` only: the server, which sets the address, the variable of the key and `compat`. */
  preset?: PresetName;
  /** Base URL of the API, if it is not the provider's own. `openai-compatible` needs it, or a `preset`. */
  baseUrl?: string;
  /**
   * The environment variable with the API key, if it is not the provider's own. Null: requests have no key, for a server at `baseUrl` that
   * needs none.
   */
  keyVariable?: string | null;
  /** The AI Gateway of Cloudflare through which requests go. */
  gateway?: ModelGateway;
  /** Headers added to every request. */
  headers?: Record<string, string>;
  /** Sampling temperature. A prompt's value takes precedence. */
  temperature?: number;
  /** Maximal length of the answer in tokens. A prompt's value takes precedence. */
  maxTokens?: number;
  /** Maximal tokens of prompt and answer together. Default: the provider's published figure, if the model is known. */
  contextWindow?: number;
  /** Maximal tokens of the prompt, if the provider limits it separately. Default as for `contextWindow`. */
  inputLimit?: number;
  /** Maximal tokens of one answer that the model can write. It is not sent; `maxTokens` is. Default as for `contextWindow`. */
  outputLimit?: number;
  /** Reasoning level for prompts without `reasoning`. `off` requests no reasoning. */
  thinkingLevel?: ThinkingLevel;
  /** Prompt caching. Default `auto`. A build refuses other values for a provider whose cache needs no marks. */
  cache?: PromptCache;
  /** USD per million prompt tokens written to the provider's cache. Default: `inputPrice`. */
  cacheWritePrice?: number;
  /** The prices of requests with a long prompt, for a provider that has such prices. */
  longPrompt?: LongPromptPrices;
  /** Delays between attempts. */
  retry?: RetryOptions;
  /** How long a connection may be silent before its request is cancelled and retried. */
  timeouts?: ModelTimeouts;
  /** Differences of an OpenAI-compatible server. */
  compat?: ModelCompatibility;
  /**
   * Tools that the provider executes itself, in each step of a prompt with this model whose `toolChoice` is not `none`. Their calls and results are parts
   * of the answer. No hook, approval or limit of calls applies to them. A build refuses types that the provider does not have.
   */
  providerTools?: ModelProviderTool[];
  /** The answers of the provider `test`. */
  script?: TestScript;
}

/** A model with any provider: the type of models in the registry. */
export type AnyModelDefinition = ModelDefinition<string, AnyModelProvider>;

/** Declares a model and returns it unchanged (Standard Agents, `defineModel`). */
export function defineModel<N extends string, P extends AnyModelProvider = ModelProvider>(
  options: ModelDefinition<N, P>,
): ModelDefinition<N, P> {
  return options;
}
