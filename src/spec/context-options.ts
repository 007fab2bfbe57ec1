// How much of a conversation a prompt's model is sent, and what gives way when it is too much.

/**
 * The budget for one model request. It changes only what is sent, never what is stored. Not available yet: a build refuses a prompt
 * that sets it.
 */
export interface ContextOptions {
  /** Tokens the request may hold, system prompt included. Default 100,000, or the model's `contextWindow`. */
  maxTokens?: number;
  /** Messages at the beginning that always stay. Default 2. */
  keepFirst?: number;
  /** Messages at the end that always stay whole. Default 10. */
  keepRecent?: number;
  /** Lines kept of a long tool output. Default 50. */
  toolOutputMaxLines?: number;
  /** Which ways of making room may be used, mildest first. Default `auto`: all of them. */
  strategy?: "auto" | "truncate_tools" | "summarize" | "drop" | "none";
}
