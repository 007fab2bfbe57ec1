// The script of the provider `test`: the answers of a model without a network, as a list or as a function of the request. When a
// list has no more answers, the run fails with an error.

import type { ReasoningConfig } from "./prompt.ts";

/** A failure of the scripted model. `kind` takes precedence over the kind that `status` implies. */
export interface TestError {
  /** The HTTP status of the simulated response. */
  status?: number;
  message: string;
  /** The simulated `Retry-After` in milliseconds. */
  retryAfterMs?: number;
  kind?: "overflow" | "rate_limited" | "auth" | "network" | "api";
}

/** A tool call of the scripted model. */
export interface TestToolCall {
  name: string;
  /** Arguments as an object, or as text to simulate a model that writes invalid JSON. */
  arguments: Record<string, unknown> | string;
  /** Default: a generated id. */
  id?: string;
}

/** Token counts that a scripted answer reports. Default: estimated from the text. */
export interface TestUsage {
  input?: number;
  output?: number;
  cacheRead?: number;
  cacheWrite?: number;
}

/** One answer: reasoning, then text, then tool calls, then an error, each if present. */
export interface TestTurn {
  thinking?: string;
  /** The simulated signature of the reasoning. It is sent again together with the reasoning in later requests. */
  signature?: string;
  /** The text. A list is streamed chunk by chunk. */
  text?: string | string[];
  toolCalls?: TestToolCall[];
  error?: TestError;
  /** Milliseconds before each chunk. */
  delayMs?: number;
  usage?: TestUsage;
  stopReason?: string;
}

/** A tool call in the history that a scripted model receives. */
export interface TestRequestToolCall {
  id: string;
  name: string;
  arguments: Record<string, unknown>;
}

/** An image or document that was sent to a scripted model. */
export interface TestRequestAttachment {
  mimeType: string;
  /** The file's path in the thread. */
  path?: string;
  /** Number of bytes that were sent. */
  size: number;
}

/** A message in the history that a scripted model receives. */
export interface TestRequestMessage {
  role: "user" | "assistant" | "tool";
  content: string;
  /** Signed reasoning of earlier answers that was sent again. */
  thinking?: { text: string; signature: string }[];
  attachments?: TestRequestAttachment[];
  tool_calls?: TestRequestToolCall[];
  tool_call_id?: string;
  name?: string;
}

/** The request that a scripted model receives. */
export interface TestRequest {
  system: string;
  messages: TestRequestMessage[];
  tools: { name: string; description: string }[];
  toolChoice: "auto" | "none" | "required";
  parallelToolCalls: boolean;
  /** The prompt's reasoning options; null if it has none. */
  reasoning: ReasoningConfig | null;
  /** JSON Schema of the answer, if the request asks for a structured one. */
  structure?: Record<string, unknown>;
  /** Number of model answers since the last user message. */
  step: number;
  /** Text of the last user message. */
  lastUser: string;
}

/** The answers in order, or a function that computes each answer from its request. */
export type TestScript = TestTurn[] | ((request: TestRequest) => TestTurn | Promise<TestTurn>);
