// The configuration of a model (REQ-147): its id, the protocol of its API, and how its provider is reached. A config that a function of this
// file returns shows neither its key nor the values of its headers when it is printed or converted to JSON.

import { presentFields } from "#lib/present-fields.ts";

import type { ApiProtocol } from "./api-protocol.ts";
import { checkModelConfig } from "./model-config-check.ts";

/** Prices in USD per million tokens. */
export interface CostConfig {
  input_per_million?: number;
  output_per_million?: number;
  cache_read_per_million?: number;
  cache_write_per_million?: number;
}

/** How a server with one of OpenAI's protocols differs from OpenAI's own. An absent field depends on the server and on the model's id. */
export interface OpenAiCompat {
  /** The field that limits the length of an answer in Chat Completions. */
  max_tokens_field?: "max_tokens" | "max_completion_tokens";
  /** Whether the server accepts the role `developer` for the system prompt. */
  supports_developer_role?: boolean;
  /** Whether the model accepts an effort of reasoning. */
  supports_reasoning_effort?: boolean;
  /** Whether the server reports token counts in a stream. */
  supports_usage_in_streaming?: boolean;
}

/**
 * The configuration of a model. A config is plain data and can be written as a literal. The functions of `ModelConfig` return configs that
 * print as `api_key: '[hidden]'`, as their copies by `{ ...config }` do; both can be used as the config of a loop. `structuredClone` refuses
 * such a config. A config that was restored from JSON has no key, and is refused until `api_key` is set again.
 */
export interface ModelConfig {
  /** The provider's id of the model, such as `claude-sonnet-5-5`. */
  id: string;
  /** The name that people read. */
  name: string;
  /** The protocol of the provider's API. */
  api: ApiProtocol;
  /** The name of the provider, such as `anthropic`, `groq` or `local`. With `openai_completions` it may name a known server. */
  provider: string;
  /** The address of the API. Default: that of the provider. */
  base_url?: string;
  /** The key. Default: the environment variable of the provider, such as `ANTHROPIC_API_KEY`. An empty text: requests have no key. */
  api_key?: string;
  /** Whether the model can think. False refuses a thinking level. Default: depends on the model's id. */
  reasoning?: boolean;
  /** The maximum number of tokens of prompt and answer together. */
  context_window?: number;
  /** The maximum number of tokens of an answer. */
  max_tokens?: number;
  cost?: CostConfig;
  /** Headers added to every request. */
  headers?: Record<string, string>;
  /** For OpenAI's protocols. */
  compat?: OpenAiCompat;
  /** Bedrock: the region, such as `eu-central-1`. Default: `AWS_REGION`. */
  region?: string;
  /** Vertex AI: the project. Default: `GOOGLE_VERTEX_PROJECT`. */
  project?: string;
  /** Vertex AI: the location, such as `global`. Default: `GOOGLE_VERTEX_LOCATION`. */
  location?: string;
  /** Azure: the name of the resource. Default: `AZURE_RESOURCE_NAME`. */
  resource?: string;
  /** Azure: the name of the deployment. Default: `id`. */
  deployment?: string;
  /** Azure: the version of the API, with `resource` or `base_url`. Default: version 1, which needs none. */
  api_version?: string;
}

/** The text in place of a key and of the values of headers. */
const hidden = "[hidden]";

/** The methods that hide the key. They are enumerable, so that a copy by `{ ...config }` has them too. */
const hiding = {
  toJSON(this: ModelConfig): Record<string, unknown> {
    const { toJSON: _method, ...data } = this as ModelConfig & { toJSON?: unknown };
    const shown: Record<string, unknown> = { ...data };
    if (data.api_key !== undefined) shown["api_key"] = hidden;
    if (data.headers !== undefined)
      shown["headers"] = Object.fromEntries(Object.keys(data.headers).map((name) => [name, hidden]));
    delete (shown as Record<symbol, unknown>)[inspected];
    return shown;
  },
};

/** `console.log` of Node and of workerd calls the method of this name. */
const inspected = Symbol.for("nodejs.util.inspect.custom");

/** Checks a config, and returns a copy that hides its key. Throws a LoopError that names the field, its value and the remedy. */
export function modelConfig(data: ModelConfig): ModelConfig {
  checkModelConfig(data);
  const { toJSON: _method, ...fields } = data as ModelConfig & { toJSON?: unknown };
  return Object.assign(presentFields(fields) as unknown as ModelConfig, hiding, {
    [inspected]: (hiding as { toJSON: unknown }).toJSON,
  });
}

/** Fields that a factory does not set, and fields that replace its values. */
export type ModelConfigFields = Partial<Omit<ModelConfig, "id" | "name" | "api">>;

/** A key, or a key and further fields. */
type KeyOrFields = string | ModelConfigFields;

function fieldsOf(given: KeyOrFields | undefined): ModelConfigFields {
  return typeof given === "string" ? { api_key: given } : (given ?? {});
}

/** Creates the factory of a protocol. */
function factory(api: ApiProtocol, defaults: ModelConfigFields & { provider: string }) {
  return (id: string, name: string, given?: KeyOrFields): ModelConfig =>
    modelConfig({ ...defaults, ...fieldsOf(given), id, name, api });
}

const openaiCompat: OpenAiCompat = {
  max_tokens_field: "max_completion_tokens",
  supports_developer_role: true,
  supports_reasoning_effort: true,
};

/** The headers of REQ-159, with which requests look like those of another client of Anthropic. Nothing sends them by default. */
const oauthHeaders: Readonly<Record<string, string>> = {
  "anthropic-beta": "claude-code-20250219,oauth-2025-04-20,fine-grained-tool-streaming-2025-05-14",
  "x-app": "cli",
  "anthropic-dangerous-direct-browser-access": "true",
  "user-agent": "claude-cli/2.1.2",
};

const anthropic = factory("anthropic_messages", {
  provider: "anthropic",
  base_url: "https://api.anthropic.com",
  context_window: 200_000,
  max_tokens: 8192,
});

const local = factory("openai_completions", { provider: "local", context_window: 128_000, max_tokens: 4096 });

const openrouter = factory("openai_completions", {
  provider: "openrouter",
  base_url: "https://openrouter.ai/api/v1",
  context_window: 200_000,
  max_tokens: 4096,
});

/** Creates configs of models. The last argument is the key, or an object with further fields. Without a key, the key is read from the environment. */
export const ModelConfig = {
  /** A model of Anthropic. A key that begins with `sk-ant-oat` is sent as a bearer token. */
  anthropic,
  /** A model of Anthropic with a token of OAuth, and all headers of REQ-159. The field `headers` replaces single ones. */
  anthropicOauth(id: string, name: string, given?: KeyOrFields): ModelConfig {
    const fields = fieldsOf(given);
    return anthropic(id, name, { ...fields, headers: { ...oauthHeaders, ...fields.headers } });
  },
  /** A model of OpenAI, by Chat Completions. */
  openai: factory("openai_completions", {
    provider: "openai",
    base_url: "https://api.openai.com/v1",
    context_window: 128_000,
    max_tokens: 4096,
    compat: openaiCompat,
  }),
  /** A model of OpenAI, by the Responses API. */
  openaiResponses: factory("openai_responses", {
    provider: "openai",
    base_url: "https://api.openai.com/v1",
    context_window: 128_000,
    max_tokens: 4096,
  }),
  /** A deployment of Azure OpenAI. `id` is its name. */
  azureOpenai: factory("azure_openai_responses", {
    provider: "azure_openai",
    context_window: 128_000,
    max_tokens: 4096,
  }),
  /** A model of Google's Gemini API. */
  google: factory("google_generative_ai", {
    provider: "google",
    base_url: "https://generativelanguage.googleapis.com",
    context_window: 1_000_000,
    max_tokens: 8192,
  }),
  /** A model of Vertex AI. */
  googleVertex: factory("google_vertex", { provider: "google_vertex", context_window: 1_000_000, max_tokens: 8192 }),
  /** A model of Amazon Bedrock. The key is a bearer token; without one, the credentials of the environment sign requests. */
  bedrock: factory("bedrock_converse_stream", { provider: "bedrock", context_window: 200_000, max_tokens: 8192 }),
  /** A model of a server with OpenAI's Chat Completions. An empty key: the server needs none. */
  local: (base_url: string, id: string, given: KeyOrFields = ""): ModelConfig =>
    local(id, "Local Model", { api_key: "", ...fieldsOf(given), base_url }),
  /** A model of OpenRouter, such as `anthropic/claude-sonnet-5-5`. */
  openrouter: (id: string, given?: KeyOrFields): ModelConfig => openrouter(id, id, given),
  /** Checks a config, and returns a copy that hides its key. Throws a LoopError for a wrong field. */
  from: modelConfig,
};
