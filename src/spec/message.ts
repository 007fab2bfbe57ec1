// Messages of a thread as definitions read and write them, and the queries over them.

/** Options of `getMessages` (Standard Agents, threads). */
export interface GetMessagesOptions {
  /** Most messages to return. Default 100, at most 1,000. */
  limit?: number;
  /** Messages to skip. */
  offset?: number;
  /** Oldest first (`asc`, the default) or newest first. */
  order?: "asc" | "desc";
  /** Also those hidden from UIs. Default false. */
  includeSilent?: boolean;
  /** Deepest sub-prompt level to return; all when absent. */
  maxDepth?: number;
}

/** A page of messages (Standard Agents, threads). */
export interface MessagesResult {
  messages: Message[];
  /** How many match, beyond this page too. */
  total: number;
  hasMore: boolean;
}

/** A stored message (Standard Agents, threads). Times are microseconds since the epoch. */
export interface Message {
  id: string;
  role: "system" | "user" | "assistant" | "tool";
  /** Null where an assistant only calls tools. */
  content: string | null;
  /** Tool messages: the tool's name. */
  name?: string | null;
  /** Assistant messages: a JSON array of `{id, type: "function", function: {name, arguments}}`. */
  tool_calls?: string | null;
  /** Tool messages: the call they answer. */
  tool_call_id?: string | null;
  created_at: number;
  /** The message a sub-prompt's message belongs to. */
  parent_id?: string | null;
  /** 0 in the main conversation, one more in each sub-prompt. */
  depth?: number;
  /** Hidden from UIs, not from the model. */
  silent?: boolean;
  metadata?: Record<string, unknown>;
}

/** A message to put into a thread (Standard Agents, threads). */
export interface InjectMessageInput {
  role: "user" | "assistant" | "system";
  content: string;
  /** Hide it from UIs. */
  silent?: boolean;
  metadata?: Record<string, unknown>;
}

/** A change to a message; metadata is merged key by key (Standard Agents, threads). */
export interface MessageUpdates {
  content?: string;
  metadata?: Record<string, unknown>;
}
