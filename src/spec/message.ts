// Messages of a thread, as definitions read and write them, and the options of their queries.

/** Options of `getMessages` (Standard Agents, threads). */
export interface GetMessagesOptions {
  /** Maximal number of messages. Default 100, at most 1,000. */
  limit?: number;
  /** Number of messages to skip. */
  offset?: number;
  /** Oldest first (`asc`, the default) or newest first. */
  order?: "asc" | "desc";
  /** Whether to include messages that are hidden from user interfaces. Default false. */
  includeSilent?: boolean;
  /** Deepest sub-prompt level to include. Default: all levels. */
  maxDepth?: number;
}

/** A page of messages (Standard Agents, threads). */
export interface MessagesResult {
  messages: Message[];
  /** Number of all matching messages, not only those of this page. */
  total: number;
  hasMore: boolean;
}

/** A stored message (Standard Agents, threads). Times are microseconds since the epoch. */
export interface Message {
  id: string;
  role: "system" | "user" | "assistant" | "tool";
  /** The text; null for an assistant message that consists of tool calls only. */
  content: string | null;
  /** In tool messages: the tool's name. */
  name?: string | null;
  /** In assistant messages: a JSON array of `{id, type: "function", function: {name, arguments}}`. */
  tool_calls?: string | null;
  /** In tool messages: the id of the answered call. */
  tool_call_id?: string | null;
  created_at: number;
  /** Of a sub-prompt's message: the id of the message whose call started the sub-prompt. */
  parent_id?: string | null;
  /** 0 in the main conversation, one more in each nested sub-prompt. */
  depth?: number;
  /** Whether user interfaces hide the message. Models receive it. */
  silent?: boolean;
  metadata?: Record<string, unknown>;
}

/** A message to add to a thread (Standard Agents, threads). */
export interface InjectMessageInput {
  role: "user" | "assistant" | "system";
  content: string;
  /** Whether to hide the message from user interfaces. */
  silent?: boolean;
  metadata?: Record<string, unknown>;
}

/** A change of a message. `metadata` is merged key by key (Standard Agents, threads). */
export interface MessageUpdates {
  content?: string;
  metadata?: Record<string, unknown>;
}
