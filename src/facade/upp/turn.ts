// The result of one call of `generate` or `stream`.

import type { AnyMessage, AssistantMessage } from "./upp-message.ts";
import type { ToolExecution } from "./upp-tool.ts";

/** Token counts. */
export interface TokenUsage {
  /** Prompt tokens that were neither read from the provider's cache nor written to it. */
  inputTokens: number;
  /** Tokens of the answers, reasoning included. */
  outputTokens: number;
  /** All tokens, those of the cache included. */
  totalTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  /** The tokens of each cycle, in order. */
  cycles?: TokenUsage[];
}

/** A turn: one or more answers of the model, with the calls between them. */
export interface Turn<Data = unknown> {
  /** The messages of this turn, beginning with the new input. Earlier messages are not among them. */
  readonly messages: readonly AnyMessage[];
  /** The last message of the model. */
  readonly response: AssistantMessage;
  /** The executed calls, in the order of the calls. */
  readonly toolExecutions: readonly ToolExecution[];
  readonly usage: TokenUsage;
  /** The number of answers. */
  readonly cycles: number;
  /** The structured answer, if the request has a `structure`. It is not validated. */
  readonly data?: Data;
}
