// Tells events to readers: numbered, deltas coalesced, one serialisation per group of equal wishes. Rows are written
// before an event comes here; the platform's output gate holds frames back until they are durable.

import type { EventDraft, PlainEvent, ThreadEvent } from "#contract/event.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { EventSink } from "#core/ports/event-sink.ts";
import { inToldOrder } from "#core/stored-event.ts";

import { DeltaBuffer, isDelta } from "./delta-buffer.ts";
import type { EventNumbers } from "./event-numbers.ts";
import { Partial } from "./partial.ts";
import type { RecordedStep } from "./partial.ts";
import { serialise } from "./reader.ts";
import type { Reader } from "./reader.ts";
import type { ReplayPart } from "./replay.ts";
import { endsRun, wants, wishKey } from "./subscription.ts";

/** Shortest pause between two batches of deltas. */
const shortestTickMs = 10;

/** The clock stands still while a Worker computes, so the cost of a fan-out is reckoned, not measured. */
const tickPerReaderMs = 0.04;

/** What the broadcaster is given. */
export interface BroadcasterOptions {
  threadId: string;
  clock: Clock;
  numbers: EventNumbers;
  /** What was told after a number, from rows and what is in flight; of a long tail a part, which says where the next begins. */
  replay: (from: { after: number; place: string | null }) => ReplayPart;
  snapshot: () => ThreadEvent;
  /** No run is active and none waits. */
  idle: () => boolean;
}

/** The sink of a thread's events and the keeper of its readers. */
export class Broadcaster implements EventSink {
  readonly #options: BroadcasterOptions;
  readonly #readers = new Set<Reader>();
  readonly #deltas = new DeltaBuffer();
  readonly #partial = new Partial();
  #ticking = false;
  /** Hears every event that is told, besides the readers. */
  onEvent: ((event: PlainEvent) => void) | null = null;

  constructor(options: BroadcasterOptions) {
    this.#options = options;
  }

  number(draft: EventDraft): PlainEvent {
    const { threadId, clock, numbers } = this.#options;
    return inToldOrder({ seq: numbers.next(), thread_id: threadId, at: clock.now() }, draft);
  }

  send(event: PlainEvent): void {
    this.#partial.add(event);
    this.onEvent?.(event);
    if (!isDelta(event)) {
      this.#flush();
      this.#deliver(event);
      return;
    }
    this.#deltas.add(event);
    if (this.#ticking) return;
    this.#flush();
    this.#tick();
  }

  /** What is in flight and in no row. */
  inFlight(): readonly PlainEvent[] {
    return this.#partial.events();
  }

  /** Rows now hold everything told so far, or everything told of a step. */
  settled(step?: RecordedStep): void {
    if (step === undefined) this.#partial.clear();
    else this.#partial.forget(step);
  }

  get readers(): number {
    return this.#readers.size;
  }

  /** Adds a reader: what it missed first, then everything as it is told. `after` null starts with a snapshot. */
  join(reader: Reader, after: number | null): void {
    this.#flush();
    this.#readers.add(reader);
    if (after === null) {
      const snapshot = this.#options.snapshot();
      reader.send(snapshot.seq, serialise(snapshot));
      if (this.#options.idle()) this.#settle(reader);
      return;
    }
    reader.mayHaveMissed(Number.POSITIVE_INFINITY);
    this.#catchUp(reader);
  }

  /** Takes a reader back after hibernation, without sending anything. */
  rejoin(reader: Reader): void {
    this.#readers.add(reader);
    reader.mayHaveMissed(this.#options.numbers.last);
  }

  leave(reader: Reader): void {
    this.#readers.delete(reader);
  }

  find(socket: Reader["socket"]): Reader | undefined {
    return [...this.#readers].find((reader) => reader.socket === socket);
  }

  acknowledge(reader: Reader, seq: number): void {
    if (reader.acknowledge(seq)) this.#catchUp(reader);
  }

  /** The thread, or its run, is at rest: cursors are written for hibernation, readers that wait for idleness let go. */
  rest(): void {
    this.#flush();
    const idle = this.#options.idle();
    for (const reader of this.#readers) {
      if (idle) this.#settle(reader);
      else reader.save();
    }
  }

  /** At rest a cursor is written for hibernation, and a reader that waits for rest is let go. */
  #settle(reader: Reader): void {
    if (reader.wish.untilIdle && !reader.behind) this.#end(reader);
    else reader.save();
  }

  /** Closes everybody: the thread is being deleted. */
  closeAll(code: number, reason: string): void {
    for (const reader of this.#readers) reader.close(code, reason);
    this.#readers.clear();
  }

  #tick(): void {
    this.#ticking = true;
    const ms = Math.max(shortestTickMs, this.#readers.size * tickPerReaderMs);
    this.#options.clock.after(ms, () => {
      this.#ticking = false;
      if (this.#deltas.empty) return;
      this.#flush();
      this.#tick();
    });
  }

  #flush(): void {
    for (const event of this.#deltas.take()) this.#deliver(event);
  }

  #deliver(event: PlainEvent): void {
    const frames = new Map<string, string | null>();
    for (const reader of this.#readers) {
      if (reader.closed) {
        this.#readers.delete(reader);
        continue;
      }
      const key = wishKey(reader.wish);
      let frame = frames.get(key);
      if (frame === undefined) {
        frame = wants(reader.wish, event) ? serialise(event) : null;
        frames.set(key, frame);
      }
      this.#give(reader, event, frame);
    }
    // At rest nobody else would write the cursors, and hibernation may come at any time.
    if (this.#options.idle()) for (const reader of this.#readers) reader.save();
  }

  #give(reader: Reader, event: PlainEvent, frame: string | null): void {
    // It caught up from rows that held this event already: they are written before it is told.
    if (reader.has(event.seq)) return;
    if (reader.behind) {
      // It missed something before this event, which the rows have too: all of it comes in order, or later.
      if (reader.hasRoom) this.#catchUp(reader);
      else if (frame !== null) reader.withhold(frame.length);
      return;
    }
    if (frame === null) {
      reader.skipTo(event.seq);
      return;
    }
    if (reader.send(event.seq, frame) && endsRun(reader.wish, event)) this.#end(reader);
  }

  /** Sends what a reader missed as far as its window allows; the rest follows its next acknowledgement. */
  #catchUp(reader: Reader): void {
    for (;;) {
      for (const event of reader.takeMissed()) {
        if (!wants(reader.wish, event)) continue;
        if (!reader.send(event.seq, serialise(event))) return;
        if (endsRun(reader.wish, event)) {
          this.#end(reader);
          return;
        }
      }
      const part = this.#options.replay(reader.missedFrom);
      reader.missed(part);
      if (part.events.length === 0 && part.upTo === null) break;
    }
    reader.caughtUp(this.#options.numbers.last);
    if (this.#options.idle()) this.#settle(reader);
  }

  #end(reader: Reader): void {
    reader.end();
    this.#readers.delete(reader);
  }
}
