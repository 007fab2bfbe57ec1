// The port that numbers and sends the loop's events.

import type { EventDraft, PlainEvent } from "#contract/event.ts";

/**
 * Contract: `number` gives an event the thread's next number and does not send it; `send` sends it to subscribers. An event that must
 * survive a crash is written between the two calls. Neither throws.
 */
export interface EventSink {
  number(draft: EventDraft): PlainEvent;
  send(event: PlainEvent): void;
  /**
   * Whether a subscriber or a parent thread receives events. Absent: false. Without a receiver, events of executions in a tool are not
   * created, because they are not stored.
   */
  readonly hasReaders?: boolean;
  /** Whether events are neither sent nor stored. The loop then creates none. */
  readonly discards?: boolean;
}
