// Identities and chance, passed in.

/** Contract: `ordered` ids rise within a thread, also across restarts and when the clock steps back. */
export interface Ids {
  /** A UUIDv7 greater than every one given before. */
  ordered(): string;
  /** A number in [0, 1). */
  random(): number;
}
