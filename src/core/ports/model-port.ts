// The model, as the loop sees it: one request in, one stream of parts out, whatever the provider.

import type { JsonObject } from "#contract/json.ts";
import type { StopReason } from "#contract/message.ts";
import type { ToolResult } from "#contract/tool-result.ts";
import type { Usage } from "#contract/usage.ts";
import type { AnyModelDefinition, ReasoningConfig } from "#spec/index.ts";

import type { ProviderData, StoredPart } from "../record.ts";

/** A message as a model is sent it. Tool messages answer the call `tool_call_id` of the assistant message before them. */
export interface ModelMessage {
  /** Id of the stored message; null for one that is not stored. */
  id: string | null;
  role: "user" | "assistant" | "tool" | "system";
  parts: StoredPart[];
  /** Tool name and call of a tool message. */
  name: string | null;
  tool_call_id: string | null;
  /** A tool message's answer. */
  result: ToolResult | null;
  /** Ids of further stored messages whose parts were put into this one. */
  joined?: string[];
}

/** A tool as a model is told of it. */
export interface ToolSpec {
  name: string;
  description: string;
  /** JSON Schema of an object. */
  parameters: JsonObject;
}

/** One model call. */
export interface ModelRequest {
  model: AnyModelDefinition;
  /** Empty string: no system prompt. */
  system: string;
  messages: ModelMessage[];
  tools: ToolSpec[];
  toolChoice: "auto" | "none" | "required";
  parallelToolCalls: boolean;
  reasoning: ReasoningConfig | null;
  /** Over the model's own. */
  temperature: number | null;
  maxTokens: number | null;
}

/** The classes of failure, in the order they are looked for (figures: order of classification). */
export type ModelFailureKind =
  | "overflow"
  | "rate_limited"
  | "auth"
  | "network"
  | "timeout"
  | "not_configured"
  | "aborted"
  | "api";

/** Why a model call failed, once classified. `message` is safe to show: keys and tokens are cut out. */
export interface ModelFailure {
  kind: ModelFailureKind;
  message: string;
  retryable: boolean;
  status: number | null;
  retry_after_ms: number | null;
}

/** A page or document that an answer cites. */
export interface AnswerSource {
  url: string;
  title?: string;
}

/** What a finished call cost in tokens, and why it ended. */
export interface ModelFinish {
  stop_reason: StopReason;
  /** What the provider adds to its stop reason, such as why it blocked an answer. Safe to show. */
  stop_detail?: string;
  /** The answer has content that is not among its parts, such as calls that the provider ran itself. */
  has_other_content?: true;
  usage: Usage;
  /** The sources that the answer cites, each address once. */
  sources?: AnswerSource[];
  /** USD as the provider reports it; null when it does not. */
  reported_cost: number | null;
  /** The model that answered, where the provider says. */
  model_id: string | null;
}

/** A part of the answer. Blocks of one answer are numbered by `index`, rising from 0. */
export type ModelPart =
  | { type: "text_start"; index: number }
  | { type: "text_delta"; index: number; delta: string }
  | { type: "text_end"; index: number; provider_data?: ProviderData }
  | { type: "thinking_start"; index: number; redacted?: boolean }
  | { type: "thinking_delta"; index: number; delta: string }
  | { type: "thinking_end"; index: number; provider_data?: ProviderData }
  | { type: "toolcall_start"; index: number; id: string; name: string }
  | { type: "toolcall_delta"; index: number; delta: string }
  | {
      type: "toolcall_end";
      index: number;
      id: string;
      name: string;
      /** The JSON text of the arguments, as the model wrote it. */
      arguments: string;
      provider_data?: ProviderData;
    }
  /** A picture that the model made, a block of its own; `data` is base64. */
  | { type: "picture"; index: number; mime_type: string; data: string }
  | { type: "raw"; chunk: string }
  | ({ type: "finish" } & ModelFinish)
  | { type: "error"; failure: ModelFailure; usage?: Usage };

/**
 * Contract: `stream` never throws and never rejects. The stream ends with exactly one `finish` or `error`; nothing comes
 * after it. An aborted signal ends it with an `error` of kind `aborted`, the request cancelled. `raw` parts carry what the
 * provider sent, secrets cut out, for the log. A tool call that was not closed gives no `toolcall_end`.
 */
export interface ModelPort {
  /** Streams an answer. Calls `received` whenever bytes arrive, also for bytes without a part, such as keep-alive comments. */
  stream(request: ModelRequest, signal: AbortSignal, received?: () => void): AsyncIterable<ModelPart>;
  /** Whether a model may think for minutes without sending a byte. If absent, no model does. */
  thinksInSilence?(model: AnyModelDefinition): boolean;
}
