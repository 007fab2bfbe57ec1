// A clock that moves only when a test moves it. A sleep ends at once and moves the clock by its length, so that back-offs take no time and
// can be checked afterwards; a timer waits for `advance`.

import type { Clock } from "#core/ports/clock.ts";

interface Timer {
  at: number;
  callback: () => void;
}

/** One turn of the event loop, after which all work that waits for nothing else is done. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}

export class ManualClock implements Clock {
  /** The milliseconds of every sleep, in order. */
  readonly slept: number[] = [];
  #now = 1_700_000_000_000_000;
  #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  /** The number of timers that wait. */
  get armed(): number {
    return this.#timers.size;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    this.slept.push(ms);
    this.#now += ms * 1000;
    return Promise.resolve();
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + ms * 1000, callback };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  /** Moves the clock, fires due timers in the order of their times, and lets their effects happen. */
  async advance(ms: number): Promise<void> {
    await turn();
    const until = this.#now + ms * 1000;
    for (;;) {
      const due = [...this.#timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.callback();
      await turn();
    }
    this.#now = until;
    await turn();
  }
}
