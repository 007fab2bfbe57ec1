// The port for ids and random numbers.

/** Contract: the ids of `ordered` rise within a thread, also across restarts and when the clock is set back. */
export interface Ids {
  /** A UUIDv7 greater than every id returned before. */
  ordered(): string;
  /** A number in [0, 1). */
  random(): number;
}
