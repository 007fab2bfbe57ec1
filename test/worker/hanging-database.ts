// A catalog's database that can be made to hang: it takes calls and never answers. Meanwhile the test moves the callers' time by hand.

import { platformTimers } from "#lib/timers.ts";
import type { Timers } from "#lib/timers.ts";

/** The hanging of this isolate's catalog. */
class Hanging {
  #hangs = false;
  readonly #due = new Set<() => void>();
  #waiting: (() => void) | null = null;

  get hangs(): boolean {
    return this.#hangs;
  }

  /** The database answers no call from now on. */
  begin(): void {
    this.#hangs = true;
  }

  /** Answers again. */
  end(): void {
    this.#hangs = false;
  }

  /** Waits until a caller waits for an answer; then lets the time of all waiting callers pass. */
  async passTime(): Promise<void> {
    while (this.#due.size === 0) await new Promise<void>((resolve) => (this.#waiting = resolve));
    for (const run of this.#due) run();
  }

  /** The platform's timers, but by hand while it hangs. */
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

/** One for all objects. */
export const hanging = new Hanging();

/** The database, which answers nothing while it hangs. */
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
