// Ceilings of a run and of a thread. Reaching one ends the run with the status `limit`, or lets it rest, before a model is
// asked again; what sub-prompts and child threads use counts. The strictest of definition, request and deployment holds.

/** What may be used at most. Left out: no bound of one's own. Null at a side lifts what its agent says. */
export interface LimitAmounts {
  /** Model calls with their tools. */
  steps?: number | null;
  /** Turns of both sides together. */
  turns?: number | null;
  /** Tokens, in and out. */
  tokens?: number | null;
  /** Milliseconds at work: rests do not count. A run that ends at them is cut in its request, and what it said is kept. */
  durationMs?: number | null;
  /** USD, as far as the cost is known: what has no price counts nothing. */
  cost?: number | null;
}

/** Ceilings of a run, held while the side that says them, or the agent's, is to speak. */
export interface Limits extends LimitAmounts {
  /**
   * What becomes of a run that reaches one. `end` (the default), or `rest`: it waits with a pending call of kind `limit` and
   * goes on when somebody continues it with higher limits, within what the deployment allows. Limits of a thread always end it.
   */
  onLimit?: "end" | "rest";
}
