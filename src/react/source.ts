// A value outside of React that components render, in the form of `useSyncExternalStore`. Components see the value of the last
// frame, so that several changes within one frame cause one render.

import { Listeners } from "#client/follow/listeners.ts";

import type { Frame } from "./frame.ts";

/** How a source reads and watches its value. */
export interface SourcePorts<P> {
  frame: Frame;
  /** Reads the current value. */
  read: () => P;
  /** Called when the first component subscribes. Calls `changed` when the value may have changed. Returns a function that closes it. */
  open: (changed: () => void) => () => void;
}

/** A value that components subscribe to. */
export class Source<P> {
  readonly #ports: SourcePorts<P>;
  readonly #listeners = new Listeners<[]>();
  #snapshot: P;
  #close = (): void => undefined;
  #cancelFrame: (() => void) | null = null;

  constructor(ports: SourcePorts<P>) {
    this.#ports = ports;
    this.#snapshot = ports.read();
  }

  /** The value at the last frame; the same object until the next change. */
  get snapshot(): P {
    return this.#snapshot;
  }

  /** Whether no component is subscribed. */
  get idle(): boolean {
    return this.#listeners.size === 0;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    const remove = this.#listeners.add(listener);
    if (this.#listeners.size === 1) {
      this.#close = this.#ports.open(() => this.#changed());
      // The value may have changed while no component was subscribed.
      this.#changed();
    }
    let isSubscribed = true;
    return () => {
      if (!isSubscribed) return;
      isSubscribed = false;
      remove();
      if (this.#listeners.size > 0) return;
      this.#cancelFrame?.();
      this.#cancelFrame = null;
      this.#close();
    };
  };

  #changed(): void {
    this.#cancelFrame ??= this.#ports.frame(() => {
      this.#cancelFrame = null;
      this.#snapshot = this.#ports.read();
      this.#listeners.notify();
    });
  }
}
