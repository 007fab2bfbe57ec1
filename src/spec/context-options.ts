// Options that limit how much of a conversation one model request contains, and what is shortened or removed to fit.

/**
 * Limits of one model request. They change what is sent, never what is stored. Not available yet: a build refuses a prompt that
 * sets them.
 */
export interface ContextOptions {
  /** Maximal tokens of the request, including the system prompt. Default: the model's `contextWindow`, else 100,000. */
  maxTokens?: number;
  /** Number of messages at the beginning that are never removed. Default 2. */
  keepFirst?: number;
  /** Number of messages at the end that are never shortened or removed. Default 10. */
  keepRecent?: number;
  /** Number of lines that remain of a long tool output. Default 50. */
  toolOutputMaxLines?: number;
  /** Permitted ways of shortening, from least to most loss of content. Default `auto`: all of them. */
  strategy?: "auto" | "truncate_tools" | "summarize" | "drop" | "none";
}
