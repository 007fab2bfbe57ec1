// A clock that a test moves: the app's time and its timers together.

import { deferred } from "#lib/deferred.ts";
import type { Timers } from "#lib/timers.ts";

interface Timer {
  at: number;
  run: () => void;
}

/** A clock in microseconds with timers in milliseconds. */
export class ManualTime implements Timers {
  #micros = 1_700_000_000_000_000;
  readonly #timers = new Set<Timer>();
  readonly #watchers = new Set<() => void>();

  readonly now = (): number => this.#micros;

  after(milliseconds: number, run: () => void): () => void {
    const timer = { at: this.#micros + milliseconds * 1000, run };
    this.#timers.add(timer);
    for (const watcher of this.#watchers) watcher();
    return () => this.#timers.delete(timer);
  }

  /** Moves time and fires due timers, in order. */
  advance(milliseconds: number): void {
    this.#micros += milliseconds * 1000;
    const due = [...this.#timers].filter(({ at }) => at <= this.#micros).toSorted((left, right) => left.at - right.at);
    for (const timer of due) {
      this.#timers.delete(timer);
      timer.run();
    }
  }

  /** Resolves once a timer of exactly this length, counted from now, is set. */
  async armed(milliseconds: number): Promise<void> {
    const at = this.#micros + milliseconds * 1000;
    const isArmed = (): boolean => [...this.#timers].some((timer) => timer.at === at);
    while (!isArmed()) {
      const { promise, resolve } = deferred<void>();
      this.#watchers.add(resolve);
      await promise;
      this.#watchers.delete(resolve);
    }
  }

  get pending(): number {
    return this.#timers.size;
  }
}
