// The script of the `test` provider: what a model without a network answers, turn by turn or as a function of the
// request. A list that runs out is an error of the run, never a silent stop.

import type { ReasoningConfig } from "./prompt.ts";

/** A failure the scripted model answers with. `kind` wins over what `status` would be classified as. */
export interface TestError {
  /** HTTP status the provider would have sent. */
  status?: number;
  message: string;
  /** The wait a `Retry-After` header would ask for, in milliseconds. */
  retryAfterMs?: number;
  kind?: "overflow" | "rate_limited" | "auth" | "network" | "api";
}

/** A tool call the scripted model makes. */
export interface TestToolCall {
  name: string;
  /** Arguments as an object, or as raw text to play a model that writes broken JSON. */
  arguments: Record<string, unknown> | string;
  /** Made up when absent. */
  id?: string;
}

/** Token counts a scripted answer reports; estimated from the text when absent. */
export interface TestUsage {
  input?: number;
  output?: number;
  cacheRead?: number;
  cacheWrite?: number;
}

/** One answer: thinking, then text, then tool calls, then the error if there is one. */
export interface TestTurn {
  thinking?: string;
  /** What a provider would sign its thinking with: it comes back beside the thinking, wherever that is sent again. */
  signature?: string;
  /** The text; a list is streamed as its chunks. */
  text?: string | string[];
  toolCalls?: TestToolCall[];
  error?: TestError;
  /** Wait before each chunk, in milliseconds. */
  delayMs?: number;
  usage?: TestUsage;
  stopReason?: string;
}

/** A tool call as a scripted model sees it in its history. */
export interface TestRequestToolCall {
  id: string;
  name: string;
  arguments: Record<string, unknown>;
}

/** An image or a document whose bytes a scripted model was sent. */
export interface TestRequestAttachment {
  mimeType: string;
  /** Path in the thread. */
  path?: string;
  /** Bytes that were sent. */
  size: number;
}

/** A message as a scripted model sees it. */
export interface TestRequestMessage {
  role: "user" | "assistant" | "tool";
  content: string;
  /** Signed thinking that was sent again. */
  thinking?: { text: string; signature: string }[];
  attachments?: TestRequestAttachment[];
  tool_calls?: TestRequestToolCall[];
  tool_call_id?: string;
  name?: string;
}

/** What a scripted model is asked. */
export interface TestRequest {
  system: string;
  messages: TestRequestMessage[];
  tools: { name: string; description: string }[];
  toolChoice: "auto" | "none" | "required";
  parallelToolCalls: boolean;
  /** The prompt's wish for thinking; null when it has none. */
  reasoning: ReasoningConfig | null;
  /** Model calls answered since the last user message. */
  step: number;
  /** Text of the last user message. */
  lastUser: string;
}

/** The answers in order, or a function that makes each from its request. */
export type TestScript = TestTurn[] | ((request: TestRequest) => TestTurn | Promise<TestTurn>);
