// Limits of runs and threads. A run that reaches one ends with the status `limit`, or is suspended, before the next model request.
// The usage of sub-prompts and child threads counts. The lowest of the limits of the definition, the request and the deployment applies.

/** Limits by quantity. An absent field sets no limit at this level. Null in a side removes the limit of its agent. */
export interface LimitAmounts {
  /** Steps: model requests together with their tool calls. */
  steps?: number | null;
  /** Turns of both sides together. */
  turns?: number | null;
  /** Input and output tokens together. */
  tokens?: number | null;
  /** Milliseconds of active time, without suspended time. The current model request is aborted at the limit; its text is kept. */
  durationMs?: number | null;
  /** Known cost in USD. Requests without a known price count as 0. */
  cost?: number | null;
}

/** Limits of a run. Those of a side apply while it is that side's turn. */
export interface Limits extends LimitAmounts {
  /**
   * What happens at a limit. `end` (default): the run ends. `rest`: the run is suspended with a pending call of kind `limit`, and
   * resumes when a client continues it with higher limits, within the deployment's. A limit of the thread always ends the run.
   */
  onLimit?: "end" | "rest";
}
