// Where the loop's events go.

import type { EventDraft, PlainEvent } from "#contract/event.ts";

/**
 * Contract: `number` gives the next number and tells nobody; `send` tells subscribers. Whoever numbers an event that must
 * survive writes its row before sending it. Neither throws.
 */
export interface EventSink {
  number(draft: EventDraft): PlainEvent;
  send(event: PlainEvent): void;
}
