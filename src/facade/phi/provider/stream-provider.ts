// The interface of a provider (REQ-020): one request, the events of its answer, and the answer. Programs implement it for APIs that this
// package does not know, and for tests.

import type { JsonObject } from "#contract/json.ts";

import type { CancellationToken } from "../cancellation-token.ts";
import type { AssistantMessage, Message } from "../loop-messages.ts";
import type { ModelConfig } from "./model-config.ts";

export { defaultRetryConfig } from "./retry-config.ts";
export type { RetryConfig } from "./retry-config.ts";

/** How much a model thinks before it answers (REQ-019). `Off`: the request does not ask for thinking. */
export type ThinkingLevel = "Off" | "Minimal" | "Low" | "Medium" | "High";

/** The parts of a request that are marked for the provider's cache (REQ-014). */
export type CacheStrategy =
  | "Auto"
  | "Disabled"
  | { Manual: { cache_system: boolean; cache_tools: boolean; cache_messages: boolean } };

/** Marks for the provider's cache (REQ-014). Providers that cache without marks need none. */
export interface CacheConfig {
  /** False: no part is marked. */
  enabled: boolean;
  strategy: CacheStrategy;
}

/** The default marks: the provider's best parts. */
export function defaultCacheConfig(): CacheConfig {
  return { enabled: true, strategy: "Auto" };
}

/** The description of a tool that a request contains (REQ-016). */
export interface ToolDefinition {
  name: string;
  description: string;
  /** JSON Schema of an object. */
  parameters: JsonObject;
}

/** One request (architecture §4, StreamConfig). */
export interface StreamConfig {
  model_config: ModelConfig;
  /** Empty: no system prompt. */
  system_prompt: string;
  messages: Message[];
  tools: ToolDefinition[];
  thinking_level: ThinkingLevel;
  /** Null: `model_config.max_tokens`. */
  max_tokens: number | null;
  temperature: number | null;
  cache_config: CacheConfig;
}

/** An event of an answer. `content_index` is the position of a block in the content of the final message. */
export type StreamEvent =
  | { type: "Start" }
  | { type: "TextDelta"; content_index: number; delta: string }
  | { type: "ThinkingDelta"; content_index: number; delta: string }
  | { type: "ToolCallStart"; content_index: number; id: string; name: string }
  /** A piece of the JSON text of a call's arguments. */
  | { type: "ToolCallDelta"; content_index: number; delta: string }
  | { type: "ToolCallEnd"; content_index: number }
  | { type: "Done"; message: AssistantMessage }
  | { type: "Error"; message: AssistantMessage };

/** Receives the events of one answer. `send` returns at once and never throws. */
export interface StreamSender {
  send(event: StreamEvent): void;
}

/** A provider of models. */
export interface StreamProvider {
  /** A short, stable name in lower case, such as `anthropic`. It is a part of the ids of loops. */
  providerId(): string;
  /**
   * Requests one answer. Sends its events as they arrive, the last of them `Done` or `Error`, and resolves with the answer. Rejects with a
   * ProviderError if the request failed. When `cancel` is cancelled, it stops and rejects with `ProviderError.cancelled()`.
   */
  stream(config: StreamConfig, tx: StreamSender, cancel: CancellationToken): Promise<AssistantMessage>;
}
