// Providers of models that a project defines in `agents/providers/`: over a model of the AI SDK, or over a function that yields the parts of an
// answer. Models refer to them by name, as to the built-in providers.

import type { WorkerEnv } from "./register.ts";

/**
 * A model of the AI SDK: `LanguageModelV3` of `@ai-sdk/provider`, which packages for AI SDK 6 return. Models with the specification `v2` are
 * refused.
 */
export interface AiSdkModel {
  readonly specificationVersion: "v3";
  readonly provider: string;
  readonly modelId: string;
  doStream(options: never): PromiseLike<{ stream: ReadableStream<unknown> }>;
}

/** What a provider of a project is called with, next to the request. */
export interface ProviderContext {
  /** The bindings, variables and secrets of the Worker, by name. */
  env: WorkerEnv;
  /**
   * Sends a request. It is aborted with the model request, its bytes count for the time limits of silence, and its status and `Retry-After`
   * decide about retries. Redirects to other origins are refused.
   */
  fetch: typeof globalThis.fetch;
}

/** The thinking that a request asks for. */
export interface ProviderThinking {
  /** `none` turns thinking off. */
  effort: "none" | "minimal" | "low" | "medium" | "high";
  /** Tokens to think with: the requested number, otherwise a number for the effort. */
  tokens: number;
}

/** The members of a request that `options` converts to options of the AI SDK's package. */
export interface ProviderOptionsRequest {
  /** Null: the request does not mention thinking. */
  thinking: ProviderThinking | null;
  /** False: at most one tool call in the answer. */
  parallelToolCalls: boolean;
}

/** A text. */
export interface ProviderText {
  type: "text";
  text: string;
}

/** An image of a message, or another file whose media type is in `files` of the provider: base64 in `data`, or a `url`. */
export interface ProviderFile {
  type: "image" | "file";
  mimeType: string;
  name?: string;
  data?: string;
  url?: string;
}

/** A tool call of an earlier answer. */
export interface ProviderCall {
  type: "tool_call";
  id: string;
  name: string;
  arguments: Record<string, unknown>;
}

/** A message of a request. Each call of an assistant message has its result in a message of the role `tool` after it. */
export type ProviderMessage =
  | { role: "system"; text: string }
  | { role: "user"; content: (ProviderText | ProviderFile)[] }
  | { role: "assistant"; content: (ProviderText | ProviderCall)[] }
  | { role: "tool"; callId: string; name: string; content: (ProviderText | ProviderFile)[]; isError: boolean };

/** A tool that the answer may call. */
export interface ProviderTool {
  name: string;
  description: string;
  /** JSON Schema of an object. */
  parameters: Record<string, unknown>;
}

/** A model request, for a provider that is a function. */
export interface ProviderRequest {
  /** `model` of the model's definition. */
  model: string;
  /** Empty: no system prompt. */
  system: string;
  messages: ProviderMessage[];
  tools: ProviderTool[];
  /** An object names the tool that the answer has to call. */
  toolChoice: "auto" | "none" | "required" | { name: string };
  /** False: at most one tool call in the answer. */
  parallelToolCalls: boolean;
  /** The maximal length of the answer in tokens, thinking included; null for no limit. */
  maxTokens: number | null;
  /** Null: the default of the model. */
  temperature: number | null;
  /** Null: the request does not mention thinking. */
  thinking: ProviderThinking | null;
  /**
   * The JSON Schema that the text of the answer has to match, for a model with `capabilities.structuredOutputs: true`. Null: free text. Other
   * models are asked for the arguments of a tool.
   */
  structure: { name: string; schema: Record<string, unknown> } | null;
  /** Aborts the request. `context.fetch` is aborted by it already. */
  signal: AbortSignal;
}

/** The tokens of an answer so far. The last counts are those of the answer. */
export interface ProviderUsage {
  type: "usage";
  /** Tokens of the prompt, without those of the cache. */
  input?: number;
  /** Tokens of the answer, thinking included. */
  output?: number;
  /** Tokens of the prompt that were read from the cache. */
  cacheRead?: number;
  /** Tokens of the prompt that were written to the cache. */
  cacheWrite?: number;
  /** The cost in USD, if the provider reports it. It replaces the cost by the prices of the model's definition. */
  cost?: number;
}

/** The end of an answer. It is the last part, and the function returns after it. */
export interface ProviderFinish {
  type: "finish";
  /** `length`: the limit of tokens ended the answer. `content_filter`: the provider blocked it. */
  reason: "stop" | "tool_calls" | "length" | "content_filter";
  /** Why the provider blocked the answer. */
  detail?: string;
  /** The model that answered, as the provider reports it. */
  model?: string;
}

/** A part of an answer, in the order in which the model writes it. Texts and thinking are pieces, which are joined. */
export type ProviderPart =
  | ProviderText
  | { type: "thinking"; text: string }
  /** A complete tool call. `arguments` are an object, or its JSON as the model wrote it. The id is the provider's, and not empty. */
  | { type: "tool_call"; id: string; name: string; arguments: string | Record<string, unknown> }
  /** A generated image, in base64. */
  | { type: "image"; mimeType: string; data: string }
  | ProviderUsage
  | ProviderFinish;

interface ProviderFields<N extends string> {
  /** The name that models refer to. It differs from the names of the built-in providers. */
  name: N;
  /**
   * The variables and secrets of the Worker that requests need. A model whose provider lacks one of them is not ready, `threadhold deploy`
   * asks for it, and its value is removed from logs and errors.
   */
  variables?: readonly string[];
  /** Media types of files that requests may contain in addition to images and texts; `audio/*` means all types of a group. Default: none. */
  files?: readonly string[];
}

/** A provider over models of the AI SDK. */
export interface AiSdkProviderDefinition<N extends string = string> extends ProviderFields<N> {
  /** Returns the model with this id. It is called for each request, and no other request uses its result. */
  model: (modelId: string, context: ProviderContext) => AiSdkModel | Promise<AiSdkModel>;
  /** The name under which the package reads its options in `providerOptions`. Default: the name of the provider. */
  optionsName?: string;
  /**
   * Returns the options of a request for the package. Without it, requests for thinking, and for one call at a time, have no effect except a
   * warning in the log.
   */
  options?: (request: ProviderOptionsRequest) => Record<string, unknown>;
  stream?: undefined;
}

/** A provider that is a function. */
export interface FunctionProviderDefinition<N extends string = string> extends ProviderFields<N> {
  /** Answers a request. The last part is `finish`. An error that it throws is the failure of the request. */
  stream: (request: ProviderRequest, context: ProviderContext) => AsyncIterable<ProviderPart>;
  model?: undefined;
  optionsName?: undefined;
  options?: undefined;
}

/** A provider of a project. */
export type ProviderDefinition<N extends string = string> = AiSdkProviderDefinition<N> | FunctionProviderDefinition<N>;

/**
 * Declares a provider of models and returns it unchanged.
 *
 * ```ts
 * export default defineProvider({
 *   name: "my_server",
 *   variables: ["MY_SERVER_KEY"],
 *   model: (modelId, { env, fetch }) => createGroq({ apiKey: env.MY_SERVER_KEY, fetch })(modelId),
 * });
 * ```
 */
export function defineProvider<N extends string>(provider: ProviderDefinition<N>): ProviderDefinition<N> {
  return provider;
}
