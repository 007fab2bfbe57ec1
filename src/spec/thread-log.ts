// Log entries of a thread as definitions read them.

/** Options of `getLogs` (Standard Agents, threads). */
export interface GetLogsOptions {
  /** Most entries to return. */
  limit?: number;
  /** Entries to skip. */
  offset?: number;
  order?: "asc" | "desc";
}

/** Something that was done for a thread: a model request, a tool call, an error (Standard Agents, threads). */
export interface Log {
  id: string;
  /** For example `llm_request`, `tool_call`, `error`. */
  type: string;
  /** Its shape depends on `type`. */
  data: Record<string, unknown>;
  /** Microseconds since the epoch. */
  created_at: number;
  parent_id?: string | null;
}
