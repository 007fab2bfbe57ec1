// Bounds the memory that all readers of one thread hold beyond their own windows: the frame that fills a window may have megabytes.
// While the shared window is full, frames that go beyond a reader's own window wait in order, and readers that acknowledge nothing for
// some time are closed. Frames that fit into the own window never wait, so silent readers do not delay the deltas of others.

import { sharedWindowLimit, silentReaderMs } from "#contract/stream-limits.ts";
import type { Clock } from "#core/ports/clock.ts";

/** Parts of replays may fill the window up to here; the rest is for frames. */
const replayLimit = sharedWindowLimit / 2;

/** Readers that wait are resumed at or below this total. Each of them reads rows again, so there should be room for many frames. */
const resumeLimit = sharedWindowLimit / 2;

/** The part of a reader that the shared window needs. */
export interface WindowReader {
  readonly closed: boolean;
  /** Number of the oldest frame that it has not acknowledged; null where there is none. */
  readonly oldestUnacknowledged: number | null;
  closeSilent(): void;
}

/** What a shared window is given. */
export interface SharedWindowOptions<Reader> {
  clock: Pick<Clock, "after">;
  /** Readers that are connected. */
  readers: () => Iterable<Reader>;
  /** Sends a reader the events that it missed, as far as there is room. */
  resume: (reader: Reader) => void;
}

/** One per thread's object. A socket is counted until it is disconnected: one that is only closed may still hold its frames. */
export class SharedWindow<Reader extends WindowReader> {
  readonly #options: SharedWindowOptions<Reader>;
  readonly #held = new Map<object, number>();
  #total = 0;
  /** In the order in which they stopped. */
  readonly #waiting = new Set<Reader>();
  #timed = false;

  constructor(options: SharedWindowOptions<Reader>) {
    this.#options = options;
  }

  /** A frame may be sent. The frame that fills the window may go beyond it. */
  get hasRoom(): boolean {
    return this.#total < sharedWindowLimit;
  }

  /** A part of a replay may be kept for a reader that stopped. */
  canKeep(size: number): boolean {
    return this.#total + size <= replayLimit;
  }

  /** Adds to the size that a socket holds; a negative size is freed. */
  hold(socket: object, size: number): void {
    if (size === 0) return;
    this.#held.set(socket, (this.#held.get(socket) ?? 0) + size);
    this.#total += size;
  }

  /** The socket is disconnected, so its memory is free. */
  release(socket: object): void {
    this.#total -= this.#held.get(socket) ?? 0;
    this.#held.delete(socket);
    this.serve();
  }

  /** Resumes the reader once there is room. */
  wait(reader: Reader): void {
    this.#waiting.add(reader);
    this.#closeSilentLater();
  }

  /** Resumes readers that wait, once there is room for some of them. */
  serve(): void {
    if (this.#total <= resumeLimit) this.#resume();
  }

  #resume(): void {
    for (const reader of this.#waiting) {
      if (!this.hasRoom) return;
      this.#waiting.delete(reader);
      if (!reader.closed) this.#options.resume(reader);
    }
  }

  #closeSilentLater(): void {
    if (this.#timed) return;
    const before = new Map<Reader, number>();
    for (const reader of this.#options.readers()) {
      if (reader.oldestUnacknowledged !== null) before.set(reader, reader.oldestUnacknowledged);
    }
    // Memory of closed sockets is freed when they are disconnected, not after a time.
    if (before.size === 0 && !this.hasRoom) return;
    this.#timed = true;
    this.#options.clock.after(silentReaderMs, () => {
      this.#timed = false;
      for (const reader of this.#waiting) if (reader.closed) this.#waiting.delete(reader);
      if (this.#waiting.size === 0) return;
      for (const [reader, oldest] of before) if (reader.oldestUnacknowledged === oldest) reader.closeSilent();
      this.#resume();
      if (this.#waiting.size > 0) this.#closeSilentLater();
    });
  }
}
