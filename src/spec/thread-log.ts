// Log entries of a thread as definitions read them.

/** Options of `getLogs` (Standard Agents, threads). */
export interface GetLogsOptions {
  /** Maximal number of entries. Default 100, at most 1,000. */
  limit?: number;
  /** Number of entries to skip. */
  offset?: number;
  order?: "asc" | "desc";
}

/** A log entry, for example of a model request, a tool call or an error (Standard Agents, threads). */
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
