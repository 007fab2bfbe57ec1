// An event as readers are sent it. Serialised once; readers that are equally far share the text, `prev` included.

import type { ThreadEvent } from "#contract/event.ts";

/** The text of one event for readers that want it. */
export class Frame {
  readonly #head: string;
  #prev = -1;
  #text = "";

  constructor(event: ThreadEvent) {
    this.#head = JSON.stringify(event).slice(0, -1);
  }

  /** UTF-16 units, about. */
  get size(): number {
    return this.#head.length;
  }

  /** The text for a reader whose last frame was that of event `prev`. */
  after(prev: number): string {
    if (this.#prev !== prev) {
      this.#prev = prev;
      this.#text = `${this.#head},"prev":${prev}}`;
    }
    return this.#text;
  }
}
