// The events of one row-to-be: told in order, remembered in the form the row keeps. Deltas are told and not remembered;
// when their block ends, one entry stands for all of them.

import type { EventDraft, PlainEvent } from "#contract/event.ts";

import type { EventSink } from "./ports/event-sink.ts";
import type { StoredEvent } from "./record.ts";
import { toStored } from "./stored-event.ts";

/** What every event of a list shares. */
export type EventContext = Pick<PlainEvent, "run_id" | "side" | "depth" | "parent_id"> & { step?: number };

interface DeltaRange {
  first: number;
  last: PlainEvent;
}

/**
 * Keeps the two orders apart that durability needs: an event that must survive is staged, its row is written, and only
 * `release` tells it. It gets its number when the row takes it, so let nothing be waited for between `take` and `release`:
 * whoever else tells something meanwhile would be ahead in number and behind in time.
 */
export class EventList {
  readonly #sink: EventSink;
  readonly #context: EventContext;
  #kept: StoredEvent[] = [];
  #staged: EventDraft[] = [];
  #numbered: PlainEvent[] = [];
  readonly #deltas = new Map<string, DeltaRange>();

  constructor(sink: EventSink, context: EventContext) {
    this.#sink = sink;
    this.#context = context;
  }

  /** A list of its own with the same context: for what rides in another row. */
  fork(): EventList {
    return new EventList(this.#sink, this.#context);
  }

  /** Tells an event now. For what may be lost with the process. */
  tell(draft: EventDraft): void {
    const event = this.#number(draft);
    this.#keep(event);
    this.#sink.send(event);
  }

  /** Holds an event back: `take` numbers it, `release` tells it. */
  stage(draft: EventDraft): void {
    this.#staged.push(draft);
  }

  /** Tells what was staged. Call it after the row is written. */
  release(): void {
    const numbered = this.#numbered;
    this.#numbered = [];
    for (const event of numbered) this.#sink.send(event);
  }

  /** What the row keeps so far, what is staged included, and forgets it here. */
  take(): StoredEvent[] {
    for (const draft of this.#staged.splice(0)) {
      const event = this.#number(draft);
      this.#keep(event);
      this.#numbered.push(event);
    }
    const kept = this.#kept;
    this.#kept = [];
    return kept;
  }

  /** Forgets everything told of a message: it is being retracted. */
  forget(messageId: string): void {
    this.#kept = this.#kept.filter((event) => event["message_id"] !== messageId);
    this.#deltas.clear();
  }

  #number(draft: EventDraft): PlainEvent {
    return this.#sink.number({ ...this.#context, ...draft });
  }

  #keep(event: PlainEvent): void {
    switch (event.type) {
      case "text_delta":
      case "thinking_delta":
      case "toolcall_delta": {
        const key = `${event.message_id}/${event.index}`;
        const first = this.#deltas.get(key)?.first ?? event.seq;
        this.#deltas.set(key, { first, last: event });
        return;
      }
      case "text_end":
      case "thinking_end":
      case "toolcall_end":
        this.#keepMerged(`${event.message_id}/${event.index}`);
        break;
      case "tool_execution_delta":
        return;
      default:
        break;
    }
    this.#kept.push(toStored(event));
  }

  #keepMerged(key: string): void {
    const range = this.#deltas.get(key);
    if (range === undefined) return;
    this.#deltas.delete(key);
    this.#kept.push({ ...toStored(range.last), offset: 0, from_seq: range.first });
  }
}
