// Numbers events and keeps the readers: what each missed, how far each is, when each is let go. Rows are written before an
// event comes here; the platform's output gate holds frames back until they are durable.

import type { EventDraft, PlainEvent, ThreadEvent } from "#contract/event.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { EventSink } from "#core/ports/event-sink.ts";
import { inToldOrder } from "#core/stored-event.ts";

import type { ReplayFrom, ReplayPart } from "../replay/replay.ts";
import type { EventNumbers } from "./event-numbers.ts";
import { FanOut } from "./fan-out.ts";
import { Frame } from "./frame.ts";
import { Partial } from "./partial.ts";
import type { RecordedStep } from "./partial.ts";
import type { Reader } from "./reader.ts";
import { SharedWindow } from "./shared-window.ts";
import { endsRun, wants } from "./subscription.ts";

/** What the broadcaster is given. */
export interface BroadcasterOptions {
  threadId: string;
  clock: Clock;
  numbers: EventNumbers;
  /** What was told after a number, from rows and what is in flight; of a long tail a part, which says where the next begins. */
  replay: (from: ReplayFrom) => ReplayPart;
  snapshot: () => ThreadEvent;
  /** No run is active and none waits. */
  idle: () => boolean;
  /** A run is being driven, which keeps the object awake; one that rests does not. */
  driven: () => boolean;
}

/** The sink of a thread's events and the keeper of its readers. */
export class Broadcaster implements EventSink {
  readonly #options: BroadcasterOptions;
  readonly #readers = new Map<Reader["socket"], Reader>();
  readonly #fanOut: FanOut;
  readonly #partial: Partial;
  readonly #window: SharedWindow<Reader>;
  #resting = false;
  /** Hears every event that is told, besides the readers. */
  onEvent: ((event: PlainEvent) => void) | null = null;

  constructor(options: BroadcasterOptions) {
    this.#options = options;
    this.#partial = new Partial(options.numbers.last);
    const { clock, idle } = options;
    this.#fanOut = new FanOut({
      clock,
      idle,
      readers: this.#readers,
      give: (reader, event, frame) => this.#give(reader, event, frame),
      drained: () => this.#drained(),
    });
    this.#window = new SharedWindow({
      clock,
      readers: () => this.#readers.values(),
      resume: (reader) => this.#catchUp(reader),
    });
  }

  number(draft: EventDraft): PlainEvent {
    const { threadId, clock, numbers } = this.#options;
    return inToldOrder({ seq: numbers.next(), thread_id: threadId, at: clock.now() }, draft);
  }

  send(event: PlainEvent): void {
    this.#partial.add(event);
    this.onEvent?.(event);
    this.#fanOut.add(event);
  }

  /** What is in flight and in no row. */
  inFlight(): readonly PlainEvent[] {
    return this.#partial.events();
  }

  /** What was told after a number, where no row is needed for it; null otherwise. */
  toldAfter(after: number): PlainEvent[] | null {
    // What has its number and is about to be told stands in rows, and whoever catches up is taken to have it.
    return this.#partial.last === this.#options.numbers.last ? this.#partial.toldAfter(after) : null;
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
    // What waits for a few is told before somebody joins; a crowd goes on being told in slices.
    if (!this.#fanOut.crowded) this.#fanOut.flush();
    this.#add(reader);
    this.#fanOut.seal();
    reader.wantsSnapshot = after === null;
    reader.mayHaveMissed(Number.POSITIVE_INFINITY);
    this.#catchUp(reader);
  }

  /** Takes a reader back after hibernation, without sending anything. */
  rejoin(reader: Reader): void {
    this.#add(reader);
    reader.mayHaveMissed(reader.wantsSnapshot ? Number.POSITIVE_INFINITY : this.#options.numbers.last);
  }

  #add(reader: Reader): void {
    this.#readers.set(reader.socket, reader);
    reader.share(this.#window);
  }

  leave(reader: Reader): void {
    this.#readers.delete(reader.socket);
  }

  /** A socket is disconnected: its memory is free. */
  gone(socket: Reader["socket"]): void {
    this.#readers.delete(socket);
    this.#window.release(socket);
  }

  find(socket: Reader["socket"]): Reader | undefined {
    return this.#readers.get(socket);
  }

  acknowledge(reader: Reader, seq: number): void {
    if (reader.acknowledge(seq)) this.#catchUp(reader);
    else if (reader.closed) this.leave(reader);
    // The attachment has to count without the acknowledged frames if the object hibernates now.
    else if (!this.#options.driven()) reader.save();
    this.#window.serve();
  }

  /** The thread, or its run, is at rest: cursors are written for hibernation, readers that wait for idleness let go. */
  rest(): void {
    this.#resting = true;
    if (this.#fanOut.empty) this.#drained();
    // A crowd is told in slices, and what follows from rest waits for the last of them.
    else if (!this.#fanOut.crowded) this.#fanOut.flush();
  }

  /** Everybody was told everything. Unless a run is driven, hibernation may come at any time: the cursors are written. */
  #drained(): void {
    const idle = this.#options.idle();
    if (this.#options.driven() && !this.#resting) return;
    for (const reader of this.#readers.values()) {
      if (idle && this.#resting) this.#settle(reader);
      else reader.save();
    }
    this.#resting = false;
  }

  /** At rest a cursor is written for hibernation, and a reader that waits for rest is let go. */
  #settle(reader: Reader): void {
    if (reader.wish.untilIdle && !reader.behind) this.#end(reader);
    else reader.save();
  }

  /** Closes everybody: the thread is being deleted. */
  closeAll(code: number, reason: string): void {
    this.#fanOut.flush();
    for (const reader of this.#readers.values()) reader.close(code, reason);
    this.#readers.clear();
  }

  #give(reader: Reader, event: PlainEvent, frame: Frame | null): void {
    if (reader.closed || reader.endedAt(event.at)) {
      this.leave(reader);
      return;
    }
    // It came, or caught up, while the event waited or was about to be told: rows are written before.
    if (reader.has(event.seq)) return;
    if (reader.behind) {
      // It missed something before this event, which the rows have too: all of it comes in order, or later.
      if (reader.hasRoom) this.#catchUp(reader);
      else if (frame !== null) reader.withhold(frame.size);
      return;
    }
    if (frame === null) {
      reader.skipTo(event.seq);
      return;
    }
    if (!reader.send(event.seq, frame)) this.#stop(reader);
    else if (endsRun(reader.wish, event)) this.#end(reader);
  }

  /** Sending to a reader stops for now. */
  #stop(reader: Reader): void {
    reader.stop();
    if (reader.waitsForOthers) this.#window.wait(reader);
  }

  /** Sends what a reader missed as far as its window allows; the rest follows its next acknowledgement. */
  #catchUp(reader: Reader): void {
    if (!reader.behind) return;
    if (reader.endedAt(this.#options.clock.now())) return this.leave(reader);
    if (reader.waitsForOthers) {
      this.#window.wait(reader);
      return;
    }
    reader.resume();
    const result = reader.wantsSnapshot ? this.#sendSnapshot(reader) : this.#sendMissed(reader);
    if (result === "stopped") {
      this.#stop(reader);
      // The thread may be evicted before the acknowledgement comes.
      reader.save();
    }
    if (result !== "sent") return;
    reader.caughtUp(this.#options.numbers.last);
    this.#fanOut.seal();
    if (this.#options.idle()) this.#settle(reader);
    else reader.save();
  }

  #sendSnapshot(reader: Reader): "sent" | "stopped" {
    const snapshot = this.#options.snapshot();
    if (!reader.send(snapshot.seq, new Frame(snapshot))) return "stopped";
    reader.wantsSnapshot = false;
    return "sent";
  }

  #sendMissed(reader: Reader): "sent" | "stopped" | "ended" {
    for (;;) {
      for (const event of reader.takeMissed()) {
        if (!wants(reader.wish, event)) continue;
        if (!reader.send(event.seq, new Frame(event))) return "stopped";
        if (endsRun(reader.wish, event)) {
          this.#end(reader);
          return "ended";
        }
      }
      const part = this.#options.replay(reader.missedFrom);
      reader.missed(part);
      if (part.events.length === 0 && part.upTo === null) return "sent";
    }
  }

  #end(reader: Reader): void {
    reader.end();
    this.leave(reader);
  }
}
