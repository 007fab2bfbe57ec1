// Something outside of React that components draw: what it was at the last frame, which stays the same object until it is drawn
// anew, and who wants to be told.

import { Listeners } from "#client/follow/listeners.ts";

import type { Frame } from "./frame.ts";

/** A source. `open` is called when the first component comes, and what it gives back when the last has left. */
export interface SourcePorts<P> {
  frame: Frame;
  /** What there is to draw now. */
  look: () => P;
  /** Begins, and calls `changed` whenever `look` would say something else. */
  open: (changed: () => void) => () => void;
}

/** What components subscribe to. */
export class Source<P> {
  readonly #ports: SourcePorts<P>;
  readonly #listeners = new Listeners<[]>();
  #picture: P;
  #close = (): void => undefined;
  #callOff: (() => void) | null = null;

  constructor(ports: SourcePorts<P>) {
    this.#ports = ports;
    this.#picture = ports.look();
  }

  /** As of the last frame. */
  get picture(): P {
    return this.#picture;
  }

  /** No component shows it. */
  get idle(): boolean {
    return this.#listeners.size === 0;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    const remove = this.#listeners.add(listener);
    if (this.#listeners.size === 1) {
      this.#close = this.#ports.open(() => this.#changed());
      // What it is from now on. It may have become another while nobody looked, or in the frame that the last one did not wait for.
      this.#changed();
    }
    let isSubscribed = true;
    return () => {
      if (!isSubscribed) return;
      isSubscribed = false;
      remove();
      if (this.#listeners.size > 0) return;
      this.#callOff?.();
      this.#callOff = null;
      this.#close();
    };
  };

  #changed(): void {
    this.#callOff ??= this.#ports.frame(() => {
      this.#callOff = null;
      this.#picture = this.#ports.look();
      this.#listeners.tell();
    });
  }
}
