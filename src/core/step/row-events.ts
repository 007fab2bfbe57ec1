// The events of one database row before it is written: emits them in order and collects their stored form for the row. Deltas are emitted
// only; when their content block ends, one stored entry replaces all of them.

import type { EventDraft, PlainEvent } from "#contract/event.ts";

import type { EventSink } from "../ports/event-sink.ts";
import type { StoredEvent } from "../record/record.ts";
import { toStored } from "../record/stored-event.ts";

/** Fields that every event of a row has. */
export type EventContext = Pick<PlainEvent, "run_id" | "side" | "depth" | "parent_id" | "silent"> & { step?: number };

interface DeltaRange {
  first: number;
  last: PlainEvent;
}

/**
 * An event that may be lost in a crash is emitted at once. An event that must survive is staged: `take` numbers it for the row, the
 * caller writes the row, and `release` sends it. Do not await between `take` and `release`: another event could get a higher number
 * and be sent earlier.
 */
export class RowEvents {
  readonly #sink: EventSink;
  readonly #context: EventContext;
  #collected: StoredEvent[] = [];
  #staged: EventDraft[] = [];
  #numbered: PlainEvent[] = [];
  readonly #deltas = new Map<string, DeltaRange>();

  constructor(sink: EventSink, context: EventContext) {
    this.#sink = sink;
    this.#context = context;
  }

  /** An empty instance with the same context, for the events of another row. */
  fork(): RowEvents {
    return new RowEvents(this.#sink, this.#context);
  }

  /** Numbers and sends an event now, and collects it for the row. */
  emit(draft: EventDraft): void {
    if (this.#sink.discards === true) return;
    const event = this.#number(draft);
    this.#collect(event);
    this.#sink.send(event);
  }

  /** Keeps an event back: `take` numbers it, `release` sends it. */
  stage(draft: EventDraft): void {
    if (this.#sink.discards !== true) this.#staged.push(draft);
  }

  /** Sends the staged events. Call it after the row is written. */
  release(): void {
    const numbered = this.#numbered;
    this.#numbered = [];
    for (const event of numbered) this.#sink.send(event);
  }

  /** Numbers the staged events, and returns all collected events for the row. */
  take(): StoredEvent[] {
    for (const draft of this.#staged.splice(0)) {
      const event = this.#number(draft);
      this.#collect(event);
      this.#numbered.push(event);
    }
    const collected = this.#collected;
    this.#collected = [];
    return collected;
  }

  /** Removes the collected events of a message that is retracted. */
  removeMessage(messageId: string): void {
    this.#collected = this.#collected.filter((event) => event["message_id"] !== messageId);
    this.#deltas.clear();
  }

  #number(draft: EventDraft): PlainEvent {
    return this.#sink.number({ ...this.#context, ...draft });
  }

  #collect(event: PlainEvent): void {
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
        this.#collectMerged(`${event.message_id}/${event.index}`);
        break;
      case "tool_execution_delta":
        return;
      default:
        break;
    }
    this.#collected.push(toStored(event));
  }

  #collectMerged(key: string): void {
    const range = this.#deltas.get(key);
    if (range === undefined) return;
    this.#deltas.delete(key);
    this.#collected.push({ ...toStored(range.last), offset: 0, from_seq: range.first });
  }
}
