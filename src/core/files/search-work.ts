// Limits the work of one search of files. A Worker cannot measure time while it computes, so work is counted: characters times the
// instructions of the compiled pattern, which bounds the steps of a linear-time engine for every pattern.

import { WorkSlices } from "#lib/work-slices.ts";

/** Maximal work of one search. An idle core performs 15 to 30 million units a second for the worst patterns. */
const searchedWork = 512 * 1024 * 1024;

/** Work between two pauses. */
const sliceWork = 1024 * 1024;

/** Maximal work of one match, which cannot be interrupted. Longer texts are searched up to this bound. */
const matchWork = 4 * 1024 * 1024;

/** Cost of starting a match, in characters. */
const matchCost = 8;

/** Work of reading one row of a file, and of reading and decoding one byte. */
const rowWork = 4096;
const byteWork = 0.5;

/** The counter of one search. */
export class SearchWork {
  readonly #slices: WorkSlices;
  #remaining = searchedWork;
  #isFull = false;

  constructor(signal?: AbortSignal) {
    this.#slices = new WorkSlices(sliceWork, signal);
  }

  /** The maximum number of characters that one match may search with a pattern of this number of instructions. */
  static reach(instructions: number): number {
    return Math.floor(matchWork / instructions);
  }

  /** Whether the remaining work suffices for a text with this number of characters. */
  allows(characters: number, instructions: number): boolean {
    return characters * instructions <= this.#remaining;
  }

  /** Counts a match that is about to start. Returns false if it would exceed the bound. */
  match(characters: number, instructions: number): boolean {
    const work = (characters + matchCost) * instructions;
    this.#remaining -= work;
    this.#count(work);
    return this.#remaining >= 0;
  }

  /** Counts rows and bytes that were read. */
  read({ rows = 0, bytes = 0 }: { rows?: number; bytes?: number }): void {
    this.#count(rows * rowWork + bytes * byteWork);
  }

  /** Whether the caller has to await `pause`, so that other requests can run. */
  get mustPause(): boolean {
    return this.#isFull;
  }

  /** Lets other requests run. Rejects if the search was aborted. */
  async pause(): Promise<void> {
    this.#isFull = false;
    await this.#slices.next();
  }

  #count(work: number): void {
    this.#isFull ||= this.#slices.count(work);
  }
}
