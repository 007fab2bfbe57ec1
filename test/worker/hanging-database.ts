// A catalog database that a test can make hang: it accepts queries and does not answer. Meanwhile the test advances the
// timers of the callers.

import { platformTimers } from "#lib/timers.ts";
import type { Timers } from "#lib/timers.ts";

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
    while (this.#due.size === 0) await new Promise<void>((resolve) => (this.#waiting = resolve));
    for (const run of this.#due) run();
  }

  /** The platform's timers; while the database hangs, a test fires them. */
  readonly timers: Timers = {
    after: (milliseconds, run) => {
      if (!this.#hangs) return platformTimers.after(milliseconds, run);
      const due = (): void => {
        this.#due.delete(due);
        run();
      };
      this.#due.add(due);
      this.#waiting?.();
      return () => this.#due.delete(due);
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
