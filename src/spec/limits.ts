// Ceilings of a run. Reaching one ends the run with the status `limit`.

/** Null lifts a ceiling that the deployment sets. */
export interface Limits {
  /** Model calls with their tools. */
  steps?: number | null;
  /** Turns of both sides together. */
  turns?: number | null;
  /** Tokens, in and out. */
  tokens?: number | null;
  /** Milliseconds from the run's start. */
  durationMs?: number | null;
  /** USD. */
  cost?: number | null;
}
