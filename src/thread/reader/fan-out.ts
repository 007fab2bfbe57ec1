// Sends events to all readers in order, without delaying the run. With few readers every event is sent at once, except that deltas are
// merged and sent at most every ten milliseconds. With many readers events are sent to a slice of the readers at a time. A pause of four
// times the slice's cost follows each slice, so that the run has most of the object's time (architecture §5.7).

import type { PlainEvent, ThreadEvent } from "#contract/event.ts";
import type { Clock } from "#core/ports/clock.ts";

import type { Reader } from "./reader.ts";

/** Shortest pause between two sends of deltas, in milliseconds. */
const shortestPauseMs = 10;

/** Longest pause between two slices, in milliseconds. */
const longestPauseMs = 1000;

/** The pause after a slice, as a multiple of the slice's cost: a slice may take a fifth of the time. */
const pausePerCost = 4;

/** With more readers than this, events are sent in slices. */
const slicingThreshold = 50;

/** The number of frames in a slice, approximately. It is small, so that other work does not wait long for a slice. */
const sliceFrames = 256;

/** The text of one event for its readers. The event is serialised once. Readers whose last frame was the same share the whole text. */
export class Frame {
  readonly #head: string;
  #prev = -1;
  #text = "";

  constructor(event: ThreadEvent) {
    this.#head = JSON.stringify(event).slice(0, -1);
  }

  /** UTF-16 units, approximately. */
  get size(): number {
    return this.#head.length;
  }

  /** Returns the text for a reader whose last frame had the event number `prev`. A client detects a missing frame by `prev`. */
  after(prev: number): string {
    if (this.#prev !== prev) {
      this.#prev = prev;
      this.#text = `${this.#head},"prev":${prev}}`;
    }
    return this.#text;
  }
}

/** Dependencies of the fan-out. */
export interface FanOutOptions {
  clock: Clock;
  readers: ReadonlyMap<unknown, Reader>;
  /** Delivers an event to one reader. `frame` is null if the reader's filter excludes the event. */
  deliver: (reader: Reader, event: PlainEvent, frame: Frame | null) => void;
  /** Called when no event waits any more. */
  onEmpty: () => void;
  /** True while no run is executed or about to begin, so that sending delays no run. */
  idle: () => boolean;
}

/** An event that was not sent to every reader yet, with its frame by reader filter; null for a filter that excludes the event. */
interface PendingEvent {
  event: PlainEvent;
  frames: Map<string, Frame | null>;
}

/** Events that are being sent to all readers. The readers from `next` on have not received them yet. */
interface Round {
  pending: readonly PendingEvent[];
  readers: readonly Reader[];
  next: number;
}

/** Contract: calls `deliver` for every reader and event once, in order. `deliver` handles a reader that already has the event. */
export class FanOut {
  readonly #options: FanOutOptions;
  #pending: PendingEvent[] = [];
  /** Deltas that were added after the last event of `#pending`. */
  readonly #deltas = new DeltaBuffer();
  #round: Round | null = null;
  /** True while a timer is set that continues the sending. */
  #pausing = false;

  constructor(options: FanOutOptions) {
    this.#options = options;
  }

  /** True if every event was sent to every reader. */
  get empty(): boolean {
    return this.#round === null && this.#pending.length === 0 && this.#deltas.empty;
  }

  /** True while events are sent in slices. */
  get slicing(): boolean {
    return this.#options.readers.size > slicingThreshold;
  }

  add(event: PlainEvent): void {
    const delta = isDelta(event);
    if (delta) {
      this.#deltas.add(event);
    } else {
      this.sealDeltas();
      this.#push(event);
    }
    if (this.#pausing && (delta || this.slicing)) return;
    if (this.slicing) {
      // Several frames to one socket cost little more than one frame, so events that are emitted together are sent together.
      this.#wait(shortestPauseMs);
      return;
    }
    this.flush();
    // Only deltas are so frequent that they have to be combined. The first delta after a pause is sent at once.
    if (delta && !this.#pausing) this.#wait(shortestPauseMs);
  }

  /**
   * Ends the merging of the waiting deltas: a reader that joined has received the events up to now, and a merged event would repeat some of
   * them.
   */
  sealDeltas(): void {
    for (const event of this.#deltas.take()) this.#push(event);
  }

  #push(event: PlainEvent): void {
    this.#pending.push({ event, frames: new Map() });
  }

  /** Sends all waiting events now. */
  flush(): void {
    if (this.empty) return;
    while (!this.empty) this.#serve(Number.POSITIVE_INFINITY);
    this.#options.onEmpty();
  }

  #sendSlice(): void {
    if (this.empty) return;
    this.#serve(sliceFrames);
    if (this.empty) this.#options.onEmpty();
  }

  #wait(ms: number): void {
    this.#pausing = true;
    this.#options.clock.after(ms, () => this.#continue());
  }

  /**
   * Measures the cost of a slice with a timer: a Worker's clock does not advance during computation, and the frames are written after it.
   */
  #waitAfterSlice(): void {
    const { clock, idle } = this.#options;
    this.#pausing = true;
    const begun = clock.now();
    clock.after(0, () => {
      const cost = (clock.now() - begun) / 1000;
      const ms = Math.min(longestPauseMs, cost * pausePerCost);
      if (this.#round === null) this.#wait(Math.max(shortestPauseMs, ms));
      else if (idle()) this.#continue();
      else this.#wait(ms);
    });
  }

  #continue(): void {
    this.#pausing = false;
    if (this.empty) return;
    if (this.slicing) {
      this.#sendSlice();
      this.#waitAfterSlice();
      return;
    }
    this.flush();
    this.#wait(shortestPauseMs);
  }

  /** Sends the events of the round to the next readers, about `frames` frames in total. */
  #serve(frames: number): void {
    this.#round ??= this.#beginRound();
    const round = this.#round;
    const end = round.next + Math.max(1, Math.floor(frames / round.pending.length));
    for (; round.next < Math.min(end, round.readers.length); round.next += 1) {
      const reader = round.readers[round.next];
      if (reader === undefined) continue;
      for (const pending of round.pending) this.#options.deliver(reader, pending.event, frameFor(pending, reader));
    }
    if (round.next >= round.readers.length) this.#round = null;
  }

  #beginRound(): Round {
    this.sealDeltas();
    const pending = this.#pending;
    this.#pending = [];
    const readers = [...this.#options.readers.values()];
    // Readers that follow one run are served first: each of them is a request that waits for the run's answer.
    readers.sort((left, right) => Number(right.filter.runId !== null) - Number(left.filter.runId !== null));
    return { pending, readers, next: 0 };
  }
}

/** Readers with equal filters share a frame. */
function frameFor({ event, frames }: PendingEvent, reader: Reader): Frame | null {
  let frame = frames.get(reader.filterKey);
  if (frame === undefined) {
    frame = reader.wants(event) ? new Frame(event) : null;
    frames.set(reader.filterKey, frame);
  }
  return frame;
}

/** True for events that append to a content block of a message or to a tool's output. Such events may be merged. */
export function isDelta(event: PlainEvent): boolean {
  return event.type.endsWith("_delta");
}

function keyOf(event: PlainEvent): string | null {
  switch (event.type) {
    case "text_delta":
    case "thinking_delta":
    case "toolcall_delta":
      return `${event.type} ${event.message_id} ${event.index}`;
    case "tool_execution_delta":
      return event.delta === undefined ? `progress ${event.tool_call_id}` : `output ${event.tool_call_id}`;
    default:
      return null;
  }
}

/** Merges two deltas of one block or output into one event: with the offset of the first, the number of the second, and both texts. */
export function merged(first: PlainEvent, second: PlainEvent): PlainEvent {
  const from_seq = first.from_seq ?? first.seq;
  if ("delta" in first && "delta" in second && first.delta !== undefined) {
    const delta = first.delta + (second.delta ?? "");
    return { ...second, from_seq, offset: first.offset, delta } as PlainEvent;
  }
  return { ...second, from_seq };
}

/**
 * Deltas that wait to be sent. Several deltas of one content block, or of one tool's output, are merged into one event. A merged event
 * takes the position of its last delta, so no delta is sent before an event that was emitted earlier.
 */
export class DeltaBuffer {
  #events = new Map<string, PlainEvent>();

  get empty(): boolean {
    return this.#events.size === 0;
  }

  add(event: PlainEvent): void {
    const key = keyOf(event) ?? `single ${event.seq}`;
    const known = this.#events.get(key);
    this.#events.delete(key);
    this.#events.set(key, known === undefined ? event : merged(known, event));
  }

  /** Empties the buffer and returns its events in the order of their numbers. */
  take(): PlainEvent[] {
    const events = [...this.#events.values()];
    this.#events = new Map();
    return events;
  }
}
