// An event sink that records the emitted events. It fails if their numbers do not rise.

import type { EventDraft, PlainEvent } from "#contract/event.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { EventSink } from "#core/ports/event-sink.ts";

export const threadId = "3f0a0000-0000-4000-8000-000000000001";

export class RecordingSink implements EventSink {
  readonly sent: PlainEvent[] = [];
  readonly #clock: Clock;
  #last: number;

  constructor(clock: Clock, after = 0) {
    this.#clock = clock;
    this.#last = after;
  }

  /** The last event number. */
  get last(): number {
    return this.#last;
  }

  number(draft: EventDraft): PlainEvent {
    this.#last += 1;
    return { ...draft, seq: this.#last, thread_id: threadId, at: this.#clock.now() } as PlainEvent;
  }

  send(event: PlainEvent): void {
    const before = this.sent.at(-1)?.seq ?? 0;
    if (event.seq <= before) throw new Error(`event ${event.seq} (${event.type}) emitted after ${before}`);
    this.sent.push(structuredClone(event));
  }
}
