// Messages that are to join a run under way.

/**
 * Contract: synchronous. `waiting` is true while messages are there that have not joined; `join` gives each its place behind
 * the run's last message, all in one write, and tells them.
 */
export interface Steering {
  readonly waiting: boolean;
  join(): void;
}
