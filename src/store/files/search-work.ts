// What one search of files may take. A Worker cannot see its time pass while it computes, so work is counted: characters times
// instructions of the compiled pattern, which bounds the steps of a linear-time engine whatever the pattern.

import { WorkSlices } from "#lib/work-slices.ts";

/** Work of one search at most. An unloaded core does 15 to 30 million a second where a pattern is at its worst. */
const searchedWork = 512 * 1024 * 1024;

/** Work between two pauses. */
const sliceWork = 1024 * 1024;

/** Work of one match at most, which nothing can interrupt: a longer text is searched as far as this goes. */
const matchWork = 4 * 1024 * 1024;

/** Characters that beginning a match counts as. */
const matchCost = 8;

/** Work that a row of a file counts as, and a byte that is read and decoded. */
const rowWork = 4096;
const byteWork = 0.5;

/** The work of one search. */
export class SearchWork {
  readonly #slices: WorkSlices;
  #left = searchedWork;
  #isFull = false;

  constructor(signal?: AbortSignal) {
    this.#slices = new WorkSlices(sliceWork, signal);
  }

  /** Characters of one text that a pattern of so many instructions is matched against. */
  static reach(instructions: number): number {
    return Math.floor(matchWork / instructions);
  }

  /** Whether a text of so many characters may be searched with the work that is left. */
  allows(characters: number, instructions: number): boolean {
    return characters * instructions <= this.#left;
  }

  /** Counts a match that is about to begin. False where it would go beyond the bound. */
  match(characters: number, instructions: number): boolean {
    const work = (characters + matchCost) * instructions;
    this.#left -= work;
    this.#count(work);
    return this.#left >= 0;
  }

  /** Counts rows and bytes that were read. */
  read({ rows = 0, bytes = 0 }: { rows?: number; bytes?: number }): void {
    this.#count(rows * rowWork + bytes * byteWork);
  }

  /** True when other requests must be let in: await `pause`. */
  get mustPause(): boolean {
    return this.#isFull;
  }

  /** Lets other requests in. Rejects once the search is called off. */
  async pause(): Promise<void> {
    this.#isFull = false;
    await this.#slices.next();
  }

  #count(work: number): void {
    this.#isFull ||= this.#slices.count(work);
  }
}
