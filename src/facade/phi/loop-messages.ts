// The data of a conversation, as phi-core's document names it: content blocks, messages and usage (architecture §4). Values of these types
// are plain data: their JSON restores them.

import type { Json } from "#contract/json.ts";
import { addUsage } from "#contract/usage.ts";
import type { Usage } from "#contract/usage.ts";
import type { ProviderData } from "#core/record/record.ts";

export type { Usage } from "#contract/usage.ts";

/** Text. */
export interface TextContent {
  type: "text";
  text: string;
  provider_data?: ProviderData;
}

/** An image. `data` is base64. */
export interface ImageContent {
  type: "image";
  data: string;
  /** Such as `image/png`. */
  mime_type: string;
}

/** Thinking of a model. Later requests send it back to its provider with the signature. */
export interface ThinkingContent {
  type: "thinking";
  thinking: string;
  signature?: string | null;
  provider_data?: ProviderData;
}

/** A call of a tool. `arguments` is an object; if the model wrote no JSON object, it is the text that the model wrote. */
export interface ToolCallContent {
  type: "toolCall";
  id: string;
  name: string;
  arguments: Json;
  provider_data?: ProviderData;
}

/**
 * A block of a message (architecture §4, Content). `provider_data` is an addition: opaque data that later requests send back to the
 * provider that produced the block.
 */
export type Content = TextContent | ImageContent | ThinkingContent | ToolCallContent;

/** Why a model stopped (architecture §4, StopReason). A refusal of the provider is `error`. */
export type StopReason = "stop" | "length" | "toolUse" | "error" | "aborted";

/** The turn that produced a message. */
export interface TurnId {
  loop_id: string;
  turn_index: number;
}

/** A message of a user. Times are milliseconds since 1970. */
export interface UserMessage {
  role: "user";
  content: Content[];
  timestamp: number;
  turn_id?: TurnId;
}

/** An answer of a model. */
export interface AssistantMessage {
  role: "assistant";
  content: Content[];
  stop_reason: StopReason;
  /** The name of the model. */
  model: string;
  /** The id of the provider, such as `anthropic`. */
  provider: string;
  usage: Usage;
  timestamp: number;
  /** Set if `stop_reason` is `error`. */
  error_message?: string | null;
  turn_id?: TurnId;
}

/** The result of a call. */
export interface ToolResultMessage {
  role: "toolResult";
  tool_call_id: string;
  tool_name: string;
  content: Content[];
  is_error: boolean;
  timestamp: number;
  turn_id?: TurnId;
}

/** A message that models read (architecture §4, Message). */
export type Message = UserMessage | AssistantMessage | ToolResultMessage;

/** A message of the application. It is never sent to a model. */
export interface ExtensionMessage {
  role: "extension";
  /** The application's name for it, such as `ui_update`. */
  kind: string;
  data: Json;
}

/** A message of an agent (architecture §4, AgentMessage). */
export type AgentMessage = Message | ExtensionMessage;

/** Creates a message of a user. */
export function userMessage(content: string | Content[], timestamp: number = Date.now()): UserMessage {
  return {
    role: "user",
    content: typeof content === "string" ? [{ type: "text", text: content }] : content,
    timestamp,
  };
}

/** Creates a message of the application. */
export function extensionMessage(kind: string, data: Json): ExtensionMessage {
  return { role: "extension", kind, data };
}

/** Whether models read the message. */
export function isLlmMessage(message: AgentMessage): message is Message {
  return message.role !== "extension";
}

/** The text blocks of a message, joined by line breaks. */
export function textOfContent(content: readonly Content[]): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

/** The usage of a message without tokens. */
export function zeroTokens(): Usage {
  return { input: 0, output: 0, cache_read: 0, cache_write: 0, total_tokens: 0 };
}

/** The sum of two usages, count by count (REQ-197). */
export function combineUsage(one: Usage, other: Usage): Usage {
  return addUsage(one, other);
}

/** The share of the prompt tokens that came from the provider's cache; 0 without prompt tokens (REQ-006). */
export function cacheHitRate({ input, cache_read, cache_write }: Usage): number {
  const prompt = input + cache_read + cache_write;
  return prompt === 0 ? 0 : cache_read / prompt;
}
