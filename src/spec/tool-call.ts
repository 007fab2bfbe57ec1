// The call that a tool's function runs for: its id, its attempt, its abort signal, and reports of its progress.

/** The last argument of a tool's function. */
export interface ToolCall {
  /** The call's id. It is the same if the call runs again after a crash, so it can serve as an idempotency key. */
  readonly id: string;
  /** 1 for the first execution, one more for each repetition. */
  readonly attempt: number;
  /** Aborted when the run is stopped or the call's time limit is reached. */
  readonly signal: AbortSignal;
  /** Reports progress to subscribers: a line of text, or JSON data. */
  progress(update: unknown): void;
}
