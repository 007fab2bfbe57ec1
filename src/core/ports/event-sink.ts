// The port that numbers and sends the loop's events.

import type { EventDraft, PlainEvent } from "#contract/event.ts";

/**
 * Contract: `number` gives an event the thread's next number and does not send it; `send` sends it to subscribers. An event that must
 * survive a crash is written between the two calls. Neither throws.
 */
export interface EventSink {
  number(draft: EventDraft): PlainEvent;
  send(event: PlainEvent): void;
  /** Whether there are subscribers. If absent, there are none to whom events that are not stored have to be sent. */
  readonly hasReaders?: boolean;
  /** Whether events are neither sent nor stored. The loop then creates none. */
  readonly discards?: boolean;
}
