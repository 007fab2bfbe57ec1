// Bounds the memory that all readers of one thread hold together beyond their own windows: the frame that fills a reader's own window may
// have megabytes. While the shared window is full, frames beyond a reader's own window wait in order, and readers that acknowledge nothing
// for some time are closed. Frames within a reader's own window never wait, so silent readers do not delay the deltas of others.

import { sharedWindowLimit, silentReaderMs } from "#contract/stream-limits.ts";
import type { Clock } from "#core/ports/clock.ts";

/** Replay parts may fill the shared window up to this size; the rest is for frames. */
const replayLimit = sharedWindowLimit / 2;

/**
 * Waiting readers are resumed when the total is at most this size. Each of them reads rows again, so there should be room for many frames.
 */
const resumeLimit = sharedWindowLimit / 2;

/** The part of a reader that the shared window needs. */
export interface WindowReader {
  readonly closed: boolean;
  /** Number of the oldest frame that the reader has not acknowledged; null if there is none. */
  readonly oldestUnacknowledged: number | null;
  closeSilent(): void;
}

/** Dependencies of a shared window. */
export interface SharedWindowOptions<Reader> {
  clock: Pick<Clock, "after">;
  /** The connected readers. */
  readers: () => Iterable<Reader>;
  /** Sends a reader the events that it missed, as many as the windows allow. */
  resume: (reader: Reader) => void;
}

/**
 * The shared window of one thread's object. A socket counts until it is disconnected: a socket that is only closed may still hold its
 * frames.
 */
export class SharedWindow<Reader extends WindowReader> {
  readonly #options: SharedWindowOptions<Reader>;
  readonly #held = new Map<object, number>();
  #total = 0;
  /** Waiting readers, in the order in which they stopped. */
  readonly #waiting = new Set<Reader>();
  #timed = false;

  constructor(options: SharedWindowOptions<Reader>) {
    this.#options = options;
  }

  /** True if a frame may be sent. The frame that fills the window may exceed it. */
  get hasRoom(): boolean {
    return this.#total < sharedWindowLimit;
  }

  /** Whether a replay part of this size may be kept for a reader that stopped. */
  canKeep(size: number): boolean {
    return this.#total + size <= replayLimit;
  }

  /** Adds to the characters that a socket holds. A negative size subtracts. */
  hold(socket: object, size: number): void {
    if (size === 0) return;
    this.#held.set(socket, (this.#held.get(socket) ?? 0) + size);
    this.#total += size;
  }

  /** Frees the memory of a disconnected socket. */
  release(socket: object): void {
    this.#total -= this.#held.get(socket) ?? 0;
    this.#held.delete(socket);
    this.serve();
  }

  /** Adds a reader to those that are resumed when the window has room. */
  wait(reader: Reader): void {
    this.#waiting.add(reader);
    this.#closeSilentLater();
  }

  /** Resumes waiting readers if the window has room for some of them. */
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
    // Only closed sockets fill the window. Their memory is freed when they are disconnected, so no timer is set.
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
