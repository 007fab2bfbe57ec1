// The port of a model: a request, and a stream of the answer's parts, the same for every provider.

import type { ToolResult } from "#contract/call-result.ts";
import type { ProviderToolPart } from "#contract/content.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import type { StopReason } from "#contract/thread-message.ts";
import type { Usage } from "#contract/usage.ts";
import type { AnyModelDefinition, ModelTimeouts, ReasoningConfig, RetryOptions } from "#spec/index.ts";

import type { ProviderData, StoredPart } from "../record/record.ts";

/** A message of a model request. A tool message has the result of the call `tool_call_id` in the assistant message before it. */
export interface ModelMessage {
  /** Id of the stored message; null for one that is not stored. */
  id: string | null;
  role: "user" | "assistant" | "tool" | "system";
  parts: StoredPart[];
  /** The name of the tool, and the id of the call that a tool message answers. */
  name: string | null;
  tool_call_id: string | null;
  /** The result of a tool message. */
  result: ToolResult | null;
  /** Ids of further stored messages whose parts were put into this one. */
  joined?: string[];
}

/** The description of a tool for a model. */
export interface ToolSpec {
  name: string;
  description: string;
  /** JSON Schema of an object. */
  parameters: JsonObject;
}

/** The form of a structured answer: JSON that matches a schema, in place of free text. */
export interface AnswerStructure {
  /** Letters, digits, `_` and `-`, at most 64. Providers show it to the model. */
  name: string;
  /** JSON Schema of an object, without references to itself. */
  schema: JsonObject;
  /** Whether the provider has to enforce the schema. Default: it enforces a schema that its strict mode can express. */
  strict?: boolean;
}

/** One model call. */
export interface ModelRequest {
  model: AnyModelDefinition;
  /** Name of the prompt that the step follows. Absent in a process without prompts. */
  prompt?: string;
  /** Empty string: no system prompt. */
  system: string;
  messages: ModelMessage[];
  tools: ToolSpec[];
  toolChoice: "auto" | "none" | "required";
  parallelToolCalls: boolean;
  reasoning: ReasoningConfig | null;
  /** Overrides the model's own value. Null: the model's value is used. */
  temperature: number | null;
  maxTokens: number | null;
  /** The answer is JSON of this form. Absent: free text. The answer may still call tools; only an answer without calls has data. */
  structure?: AnswerStructure;
  /** Fields that are merged into the body that the provider receives. A field that the runtime sets itself is refused. */
  params?: JsonObject;
  /** The ids of the thread, of its run and of the thread's user, for the log of a gateway. Absent in a process without threads. */
  origin?: { thread: string; run: string; user: string | null };
  /** Whether `raw` parts are read. If false, a port may omit them. Default: true. */
  raw?: boolean;
  /** Overrides single values of the model's own retry options. */
  retry?: RetryOptions;
  /** Overrides single values of the model's own timeouts. */
  timeouts?: ModelTimeouts;
  /**
   * Called before a port sends a further request for the same answer. Reserves the budget of that request. False: the request must not be
   * sent, and the answer ends as it is. Absent: no budget is bounded.
   */
  continues?: (soFar: AnswerSoFar) => boolean;
}

/** The part of an answer that was received when a port would send a further request for the same answer. */
export interface AnswerSoFar {
  /** As the provider reports it; zero for counts that it does not report. */
  usage: Usage;
  texts: readonly string[];
}

/** The classes of failures, in the order in which they are tested (docs/reference/figures.md: Order of classification). */
export type ModelFailureKind =
  | "overflow"
  | "rate_limited"
  | "auth"
  | "network"
  | "timeout"
  | "not_configured"
  | "aborted"
  | "api";

/** A classified failure of a model request. `message` is safe to show: keys and tokens are removed. */
export interface ModelFailure {
  kind: ModelFailureKind;
  message: string;
  retryable: boolean;
  status: number | null;
  retry_after_ms: number | null;
  /** Set if the response is not in the form of the provider's protocol. */
  unreadable?: true;
}

/** A page or document that an answer cites. */
export interface AnswerSource {
  url: string;
  title?: string;
}

/** The end of a complete answer. */
export interface ModelFinish {
  stop_reason: StopReason;
  /** Details that the provider adds to its stop reason, such as why it blocked an answer. Safe to show. */
  stop_detail?: string;
  /** The answer has content that is not among its parts, such as calls that the provider executed itself. */
  has_other_content?: true;
  usage: Usage;
  /** The sources that the answer cites, each address once. */
  sources?: AnswerSource[];
  /** The parsed JSON of an answer with `structure`. Absent if the answer has calls or is not JSON. It is not checked against the schema. */
  data?: Json;
  /** USD as the provider reports it; null if it reports none. */
  reported_cost: number | null;
  /** The model that answered, as the provider reports it. */
  model_id: string | null;
  /** The port does not count chunks if it is absent. */
  chunks?: ChunkCounts | undefined;
  /** The id of the request in the log of the gateway through which it went. */
  gateway_log_id?: string;
}

/** The number of chunks that the port read itself, and of those that it gave to the provider's package. */
export interface ChunkCounts {
  direct: number;
  package: number;
}

/** A call that the provider executes itself, and its result. */
export type ProviderTool = Omit<ProviderToolPart, "type">;

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
  /** A tool that the provider executes itself. The input may follow with the end. An end without output: no result arrived in this answer. */
  | { type: "provider_tool_start"; index: number; tool: ProviderTool }
  | { type: "provider_tool_end"; index: number; tool: ProviderTool; provider_data?: ProviderData }
  /** An image, audio or video that the model generated. Each delta is base64 of whole bytes. */
  | { type: "media_start"; index: number; mime_type: string }
  | { type: "media_delta"; index: number; delta: string }
  | { type: "media_end"; index: number }
  | { type: "raw"; chunk: string }
  | ({ type: "finish" } & ModelFinish)
  | { type: "error"; failure: ModelFailure; usage?: Usage; chunks?: ChunkCounts | undefined; gateway_log_id?: string };

/**
 * Contract: `stream` never throws and never rejects. The stream ends with exactly one part `finish` or `error`. When the signal fires,
 * the request is cancelled and the stream ends with an `error` of kind `aborted`. `raw` parts contain the provider's response without
 * secrets, for the log. An incomplete tool call has no `toolcall_end`.
 */
export interface ModelPort {
  /** Streams an answer. Calls `received` whenever bytes arrive, also for bytes without a part, such as keep-alive comments. */
  stream(request: ModelRequest, signal: AbortSignal, received?: () => void): AsyncIterable<ModelPart>;
  /** Whether a model may think for minutes without sending a byte. If absent, no model does. */
  thinksInSilence?(model: AnyModelDefinition): boolean;
  /** The file of a model's definition, as the end of a failure's text that the port does not write; empty if it is not known, or absent. */
  definitionNote?(model: AnyModelDefinition): string;
}
