// The port for time. On Workers the clock moves only with I/O, so it cannot measure a computation.

/** Contract: `sleep` rejects with the signal's reason when aborted, and never otherwise. */
export interface Clock {
  /** Microseconds since epoch. */
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Calls back once after `ms`, unless the returned function is called first. */
  after(ms: number, callback: () => void): () => void;
}
