// The threads that are at work, as far as this life of the object has heard. The catalog learns of a run when it is over, so a
// newcomer's list does not show them; what is forgotten here by an eviction is told again with the thread's next heartbeat.

import type { FeedWord } from "#contract/feed.ts";

/** Threads that are remembered, and characters of JSON of all; the longest unheard go first. */
const mostThreads = 200;
const mostCharacters = 256 * 1024;

/** One per feed. */
export class AtWork {
  readonly #frames = new Map<string, string>();
  #characters = 0;

  /** Hears a word; `frame` is its JSON. */
  hear(word: FeedWord, frame: string): void {
    const id = word.type === "thread_deleted" ? word.thread_id : word.thread.id;
    this.#forget(id);
    if (word.type === "thread_deleted" || word.thread.status !== "running") return;
    this.#frames.set(id, frame);
    this.#characters += frame.length;
    for (const oldest of this.#frames.keys()) {
      if (this.#frames.size <= mostThreads && this.#characters <= mostCharacters) return;
      this.#forget(oldest);
    }
  }

  /** The last word of each. */
  frames(): Iterable<string> {
    return this.#frames.values();
  }

  #forget(id: string): void {
    this.#characters -= this.#frames.get(id)?.length ?? 0;
    this.#frames.delete(id);
  }
}
