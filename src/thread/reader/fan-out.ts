// Hands events to readers in order, and keeps a run from waiting for its watchers. To a few readers everything goes out at
// once, deltas at most every ten milliseconds. To a crowd it goes out in slices, and after each slice comes a pause of four
// times what the slice cost, so that the run keeps most of the object's time however many watch (architecture §5.7).

import type { PlainEvent } from "#contract/event.ts";
import type { Clock } from "#core/ports/clock.ts";

import { DeltaBuffer, isDelta } from "./delta-buffer.ts";
import { Frame } from "./frame.ts";
import type { Reader } from "./reader.ts";
import { wants } from "./subscription.ts";

/** Shortest pause before deltas are told again, in milliseconds. */
const shortestPauseMs = 10;

/** Longest pause between two slices. */
const longestPauseMs = 1000;

/** A slice may take a fifth of the time. */
const pausePerCost = 4;

/** More readers than these are a crowd. */
const few = 50;

/** Frames of a slice, about: small enough that nothing else waits long for it. */
const sliceFrames = 256;

/** What the fan-out is given. */
export interface FanOutOptions {
  clock: Clock;
  readers: ReadonlyMap<unknown, Reader>;
  /** Gives one reader one event; `frame` is null when it does not want it. */
  give: (reader: Reader, event: PlainEvent, frame: Frame | null) => void;
  /** Nothing waits any more. */
  drained: () => void;
  /** No run is active, so none is held up. */
  idle: () => boolean;
}

/** An event that is told, and its frames by the wishes of their readers. */
interface Telling {
  event: PlainEvent;
  frames: Map<string, Frame | null>;
}

/** Events that are being told, and the readers that have not been given them yet. */
interface Round {
  tellings: readonly Telling[];
  readers: readonly Reader[];
  next: number;
}

/** Contract: every reader is given every event once, in order; one that has an event already is the caller's matter. */
export class FanOut {
  readonly #options: FanOutOptions;
  #waiting: Telling[] = [];
  /** Deltas behind the last of those. */
  readonly #deltas = new DeltaBuffer();
  #round: Round | null = null;
  /** A timer is set that goes on. */
  #pausing = false;

  constructor(options: FanOutOptions) {
    this.#options = options;
  }

  /** Everything was told to everybody. */
  get empty(): boolean {
    return this.#round === null && this.#waiting.length === 0 && this.#deltas.empty;
  }

  get crowded(): boolean {
    return this.#options.readers.size > few;
  }

  add(event: PlainEvent): void {
    const delta = isDelta(event);
    if (delta) {
      this.#deltas.add(event);
    } else {
      this.seal();
      this.#push(event);
    }
    if (this.#pausing && (delta || this.crowded)) return;
    if (this.crowded) {
      // Ten frames to one socket cost little more than one: what comes together is told together.
      this.#wait(shortestPauseMs);
      return;
    }
    this.flush();
    // Only deltas come in such numbers, and the first of them should not wait for what was told before it.
    if (delta && !this.#pausing) this.#wait(shortestPauseMs);
  }

  /** A reader was given what there is: no delta that comes later is merged with one that came until now. */
  seal(): void {
    for (const event of this.#deltas.take()) this.#push(event);
  }

  #push(event: PlainEvent): void {
    this.#waiting.push({ event, frames: new Map() });
  }

  /** Tells everything that waits at once. */
  flush(): void {
    if (this.empty) return;
    while (!this.empty) this.#serve(Number.POSITIVE_INFINITY);
    this.#options.drained();
  }

  #slice(): void {
    if (this.empty) return;
    this.#serve(sliceFrames);
    if (this.empty) this.#options.drained();
  }

  #wait(ms: number): void {
    this.#pausing = true;
    this.#options.clock.after(ms, () => this.#goOn());
  }

  /** The clock stands still while a Worker computes, and frames are written after that: both show when it comes back. */
  #waitAfterSlice(): void {
    const { clock, idle } = this.#options;
    this.#pausing = true;
    const begun = clock.now();
    clock.after(0, () => {
      const cost = (clock.now() - begun) / 1000;
      const ms = Math.min(longestPauseMs, cost * pausePerCost);
      if (this.#round === null) this.#wait(Math.max(shortestPauseMs, ms));
      else if (idle()) this.#goOn();
      else this.#wait(ms);
    });
  }

  #goOn(): void {
    this.#pausing = false;
    if (this.empty) return;
    if (this.crowded) {
      this.#slice();
      this.#waitAfterSlice();
      return;
    }
    this.flush();
    this.#wait(shortestPauseMs);
  }

  /** Gives the next readers what the round tells, about so many frames. */
  #serve(frames: number): void {
    this.#round ??= this.#begin();
    const round = this.#round;
    const end = round.next + Math.max(1, Math.floor(frames / round.tellings.length));
    for (; round.next < Math.min(end, round.readers.length); round.next += 1) {
      const reader = round.readers[round.next];
      if (reader === undefined) continue;
      for (const telling of round.tellings) this.#options.give(reader, telling.event, frameOf(telling, reader));
    }
    if (round.next >= round.readers.length) this.#round = null;
  }

  #begin(): Round {
    this.seal();
    const tellings = this.#waiting;
    this.#waiting = [];
    const readers = [...this.#options.readers.values()];
    // Somebody waits for the answer of a run; the others watch.
    readers.sort((left, right) => Number(right.wish.runId !== null) - Number(left.wish.runId !== null));
    return { tellings, readers, next: 0 };
  }
}

function frameOf({ event, frames }: Telling, reader: Reader): Frame | null {
  let frame = frames.get(reader.wishKey);
  if (frame === undefined) {
    frame = wants(reader.wish, event) ? new Frame(event) : null;
    frames.set(reader.wishKey, frame);
  }
  return frame;
}
