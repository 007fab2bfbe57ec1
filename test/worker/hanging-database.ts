// A catalog database that a test can make hang: it accepts queries and does not answer. Meanwhile the test advances the
// timers of the callers.

import { platformTimers } from "#lib/timers.ts";
import type { Timers } from "#lib/timers.ts";

import { crossing } from "./crossing.ts";

/** The switch for this isolate's catalog. */
class Hanging {
  #hangs = false;
  readonly #due = new Set<() => void>();
  #waiting: (() => void) | null = null;

  get hangs(): boolean {
    return this.#hangs;
  }

  /** From now on the database answers no query. */
  begin(): void {
    this.#hangs = true;
  }

  /** The database answers again. */
  end(): void {
    this.#hangs = false;
  }

  /** Waits until a caller waits for an answer, then lets the time of all waiting callers pass. */
  async passTime(): Promise<void> {
    while (this.#due.size === 0) {
      const { promise, resolve } = crossing();
      this.#waiting = resolve;
      await promise;
    }
    for (const pass of this.#due) pass();
    this.#due.clear();
  }

  /** The platform's timers; while the database hangs, a test fires them. */
  readonly timers: Timers = {
    after: (milliseconds, run) => {
      if (!this.#hangs) return platformTimers.after(milliseconds, run);
      // The caller runs its timer itself: a promise that `run` resolves belongs to the caller's object.
      const { promise, resolve: pass } = crossing();
      let cancelled = false;
      void promise.then(() => {
        if (!cancelled) run();
      });
      this.#due.add(pass);
      this.#waiting?.();
      return () => {
        cancelled = true;
        this.#due.delete(pass);
        pass();
      };
    },
  };
}

/** The switch that all objects share. */
export const hanging = new Hanging();

/** Wraps the database, which answers nothing while the switch is on. */
export function hangingDatabase(database: D1Database): D1Database {
  return new Proxy(database, {
    get(target, name): unknown {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      const bound = value.bind(target) as (...args: unknown[]) => unknown;
      if (name !== "batch") return bound;
      return (...args: unknown[]) => (hanging.hangs ? new Promise(() => undefined) : bound(...args));
    },
  });
}
