// The call a tool is run for: its identity, its cancellation, its progress.

/** What a tool's function gets beside state and arguments. */
export interface ToolCall {
  /** The call's id, the same when the call is run again after a crash: use it as an idempotency key. */
  readonly id: string;
  /** 1 at first, one more each time the call is run again. */
  readonly attempt: number;
  /** Fires when the run is stopped or the call's time is up. */
  readonly signal: AbortSignal;
  /** Tells subscribers how far the work is: a line of text, or JSON data. */
  progress(update: unknown): void;
}
