// Options that limit how much of a conversation one model request contains, and what is shortened or removed to fit.

import type { LLMMessage } from "./hook.ts";
import type { ModelName } from "./register.ts";

/**
 * Limits of one model request. They change what is sent, never what is stored. Prompts with `includeChat` have them by default if the
 * window of their model is known; other prompts have them if they set `context`.
 */
export interface ContextOptions {
  /**
   * Maximal tokens of the request, including the system prompt and the tools. Default: the lowest of 80 % of the model's window, the
   * model's `inputLimit`, and the window minus the `maxTokens` of the answer (but at least half of the window); 100,000 if the window is
   * not known.
   */
  maxTokens?: number;
  /** Number of messages at the beginning that stay, if they are at most a quarter of the compacted conversation. Default 2. */
  keepFirst?: number;
  /** Number of messages at the end that stay as they are, if they fit. Default 10. */
  keepRecent?: number;
  /** Number of lines that remain of a long tool output. Default 50. */
  toolOutputMaxLines?: number;
  /**
   * How a conversation that exceeds the budget is compacted. `levels`: tool outputs are shortened, then old turns become one line, then
   * the oldest messages are dropped. `summarize`: a model summarizes all messages but the first and the recent ones. A function returns,
   * within 10 seconds, the text that replaces these messages. `off`: never; a request that is too large fails. Default `levels`, also if a
   * summary fails.
   */
  strategy?: "levels" | "summarize" | "off" | ContextSummarizer;
  /** Name of the model that writes the summary. Default: the prompt's. */
  model?: ModelName;
}

/**
 * Returns the text that later requests contain in place of `messages`. `previous` is the text that replaced the messages before them, or
 * null. The new text also replaces `previous`.
 */
export type ContextSummarizer = (
  messages: LLMMessage[],
  options: { previous: string | null; maxTokens: number },
) => string | Promise<string>;
