// Numbers a thread's events and sends them to its readers. A reader that joins first receives the events that it missed. Rows are
// written before an event is passed to `send`; the platform's output gate holds frames back until the rows are durable.

import type { EventDraft, PlainEvent, ThreadEvent } from "#contract/event.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { EventSink } from "#core/ports/event-sink.ts";
import { inSentOrder } from "#core/record/stored-event.ts";

import type { ReplayFrom, ReplayPart } from "../replay/replay.ts";
import type { EventNumbers } from "./event-numbers.ts";
import { FanOut, Frame } from "./fan-out.ts";
import { InFlightEvents } from "./in-flight-events.ts";
import type { RecordedStep } from "./in-flight-events.ts";
import type { Reader } from "./reader.ts";
import { SharedWindow } from "./shared-window.ts";

/** Dependencies of the broadcaster. */
export interface BroadcasterOptions {
  threadId: string;
  clock: Clock;
  numbers: EventNumbers;
  /** Rebuilds the events after an event number from rows (`replay/replay.ts`). One call returns a part of bounded size. */
  replay: (from: ReplayFrom) => ReplayPart;
  snapshot: (includeSilent: boolean) => ThreadEvent;
  /**
   * True while no run is executed or about to begin: the active run waits for a client or a person, or no run is active and no queued run
   * may begin.
   */
  idle: () => boolean;
  /** True while a run is executed, which keeps the object in memory. A suspended run does not. */
  executing: () => boolean;
}

/** The sink of a thread's events, and its readers. */
export class Broadcaster implements EventSink {
  readonly #options: BroadcasterOptions;
  readonly #readers = new Map<Reader["socket"], Reader>();
  readonly #fanOut: FanOut;
  readonly #inFlight: InFlightEvents;
  readonly #window: SharedWindow<Reader>;
  /** True from the call of `becomeIdle` until all events were sent. */
  #idling = false;
  /** Called with every event that is sent, in addition to the readers. */
  onEvent: ((event: PlainEvent) => void) | null = null;

  constructor(options: BroadcasterOptions) {
    this.#options = options;
    this.#inFlight = new InFlightEvents(options.numbers.last);
    const { clock, idle } = options;
    this.#fanOut = new FanOut({
      clock,
      idle,
      readers: this.#readers,
      deliver: (reader, event, frame) => this.#deliver(reader, event, frame),
      onEmpty: () => this.#afterLastEvent(),
    });
    this.#window = new SharedWindow({
      clock,
      readers: () => this.#readers.values(),
      resume: (reader) => this.#catchUp(reader),
    });
  }

  number(draft: EventDraft): PlainEvent {
    const { threadId, clock, numbers } = this.#options;
    return inSentOrder({ seq: numbers.next(), thread_id: threadId, at: clock.now() }, draft);
  }

  send(event: PlainEvent): void {
    this.#inFlight.add(event);
    this.onEvent?.(event);
    this.#fanOut.add(event);
  }

  /** Events of the executed run that no row contains yet. */
  inFlight(): readonly PlainEvent[] {
    return this.#inFlight.events();
  }

  /** Removes the events of a step, or all events, from memory after they were written to rows. */
  releaseStored(step?: RecordedStep): void {
    if (step === undefined) this.#inFlight.clear();
    else this.#inFlight.removeStep(step);
  }

  /** The number of readers. */
  get readers(): number {
    return this.#readers.size;
  }

  /** Whether a reader, or the parent of this thread, receives events. */
  get hasReaders(): boolean {
    return this.#readers.size > 0 || this.onEvent !== null;
  }

  /** Adds a reader. It receives the events after a number, or a snapshot if `after` is null, and then every new event. */
  join(reader: Reader, after: number | null): void {
    // Waiting events are sent before the reader joins. If they are being sent in slices, to some of the readers at a time, that is not
    // interrupted: the remaining readers receive them later.
    if (!this.#fanOut.slicing) this.#fanOut.flush();
    this.#add(reader);
    this.#fanOut.sealDeltas();
    reader.wantsSnapshot = after === null;
    reader.mayHaveMissed(Number.POSITIVE_INFINITY);
    this.#catchUp(reader);
  }

  /** Adds a reader again after hibernation, without sending anything. */
  rejoin(reader: Reader): void {
    this.#add(reader);
    reader.mayHaveMissed(reader.wantsSnapshot ? Number.POSITIVE_INFINITY : this.#options.numbers.last);
  }

  #add(reader: Reader): void {
    this.#readers.set(reader.socket, reader);
    reader.share(this.#window);
  }

  /** Removes a reader. Its socket may still hold frames. */
  leave(reader: Reader): void {
    this.#readers.delete(reader.socket);
  }

  /** Removes the reader of a disconnected socket, and releases the memory of its frames. */
  release(socket: Reader["socket"]): void {
    this.#readers.delete(socket);
    this.#window.release(socket);
  }

  find(socket: Reader["socket"]): Reader | undefined {
    return this.#readers.get(socket);
  }

  acknowledge(reader: Reader, seq: number): void {
    if (reader.acknowledge(seq)) this.#catchUp(reader);
    else if (reader.closed) this.leave(reader);
    // The cursor in the attachment is updated, so that the acknowledged frames do not count after hibernation.
    else if (!this.#options.executing()) reader.save();
    this.#window.serve();
  }

  /**
   * Called when the run has ended or was suspended. Once all events were sent, the readers' cursors are written, because the object may
   * hibernate. If the thread is idle, subscriptions whose filter has `untilIdle` are ended.
   */
  becomeIdle(): void {
    this.#idling = true;
    if (this.#fanOut.empty) this.#afterLastEvent();
    // While events are sent in slices of the readers, the fan-out calls `#afterLastEvent` after the last slice.
    else if (!this.#fanOut.slicing) this.#fanOut.flush();
  }

  /** Called when all events were sent. Unless a run is executed, the object may hibernate at any time, so the cursors are written. */
  #afterLastEvent(): void {
    const idle = this.#options.idle();
    if (this.#options.executing() && !this.#idling) return;
    for (const reader of this.#readers.values()) {
      if (idle && this.#idling) this.#settle(reader);
      else reader.save();
    }
    this.#idling = false;
  }

  /**
   * Handles a reader of an idle thread: ends its subscription if the filter has `untilIdle` and no event is missing, else writes its
   * cursor.
   */
  #settle(reader: Reader): void {
    if (reader.filter.untilIdle && !reader.behind) this.#end(reader);
    else reader.save();
  }

  /** Closes every socket: the thread is being deleted. */
  closeAll(code: number, reason: string): void {
    this.#fanOut.flush();
    for (const reader of this.#readers.values()) reader.close(code, reason);
    this.#readers.clear();
  }

  /** Delivers a new event to one reader. `frame` is null if the reader's filter excludes the event. */
  #deliver(reader: Reader, event: PlainEvent, frame: Frame | null): void {
    if (reader.closed || reader.endedAt(event.at)) {
      this.leave(reader);
      return;
    }
    // The reader already received the event by a replay, because it joined or caught up while the event waited in the fan-out.
    if (reader.has(event.seq)) return;
    if (reader.behind) {
      // The reader missed earlier events. A replay sends those and this one in order, now or after the next acknowledgement.
      if (reader.hasRoom) this.#catchUp(reader);
      else if (frame !== null) reader.withhold(frame.size);
      return;
    }
    if (frame === null) {
      reader.skipTo(event.seq);
      return;
    }
    if (!reader.send(event.seq, frame)) this.#stop(reader);
    else if (reader.endsAfter(event)) this.#end(reader);
  }

  /**
   * Stops sending to a reader until it acknowledges frames. If the window that all readers share is full, the reader waits for room in it.
   */
  #stop(reader: Reader): void {
    reader.stop();
    if (reader.waitsForOthers) this.#window.wait(reader);
  }

  /** Sends the events that a reader missed, as many as its window allows. The rest is sent after its next acknowledgement. */
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
      // The cursor is written now, because the object may be evicted before the reader acknowledges.
      reader.save();
    }
    if (result !== "sent") return;
    reader.caughtUp(this.#options.numbers.last);
    this.#fanOut.sealDeltas();
    if (this.#options.idle()) this.#settle(reader);
    else reader.save();
  }

  #sendSnapshot(reader: Reader): "sent" | "stopped" {
    const snapshot = this.#options.snapshot(reader.filter.includeSilent);
    if (!reader.send(snapshot.seq, new Frame(snapshot))) return "stopped";
    reader.wantsSnapshot = false;
    return "sent";
  }

  #sendMissed(reader: Reader): "sent" | "stopped" | "ended" {
    for (;;) {
      for (const event of reader.takeMissed()) {
        if (!reader.wants(event)) continue;
        if (!reader.send(event.seq, new Frame(event))) return "stopped";
        if (reader.endsAfter(event)) {
          this.#end(reader);
          return "ended";
        }
      }
      const part = this.#eventsAfter(reader.missedFrom);
      reader.missed(part);
      if (part.events.length === 0 && part.upTo === null) return "sent";
    }
  }

  /** Returns the events after a number: from memory if it contains all of them, otherwise from rows and memory. */
  #eventsAfter(from: ReplayFrom): ReplayPart {
    // False if an event has a number and is stored, but was not sent yet: then memory lacks it.
    const isCurrent = this.#inFlight.last === this.#options.numbers.last;
    // Usually memory has all events that a client missed if it subscribes right after the request that started the run.
    const recent = isCurrent ? this.#inFlight.allAfter(from.after) : null;
    if (recent !== null) return { events: recent, upTo: null, size: 0, place: from.place };
    const rows = this.#options.replay(from);
    const known = new Set(rows.events.map((event) => event.seq));
    const last = rows.upTo ?? Number.POSITIVE_INFINITY;
    // Events after `last` belong to a later part. Events in memory may be earlier than events from rows, because the row of a step with a
    // nested loop is written after the rows of the nested steps, so the two lists are sorted together.
    const inFlight = this.inFlight().filter(({ seq }) => seq > from.after && seq <= last && !known.has(seq));
    return { ...rows, events: [...rows.events, ...inFlight].sort((left, right) => left.seq - right.seq) };
  }

  #end(reader: Reader): void {
    reader.end();
    this.leave(reader);
  }
}
