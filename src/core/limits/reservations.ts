// The shares of a run's budget that model requests in flight have reserved. A request waits until the used, the reserved and its
// own share together fit every bound, or until no other request is in flight. So concurrent calls exceed a bound by at most one
// request, and by what at most five requests use beyond their shares.

import { leftOf, noUse, together } from "./amounts.ts";
import type { Used } from "./amounts.ts";
import type { Budget } from "./reached.ts";

/** The most requests of a run in flight if tokens or money are bounded. The object sends at most five at once in any case. */
const mostAtOnce = 5;

/** The reservations of one execution of a run. */
export class Reservations {
  readonly #held = new Set<Used>();
  #line: Promise<unknown> = Promise.resolve();
  /** The number of shares given back so far. */
  #given = 0;
  #wake: () => void = () => {};

  /** The sum of the shares that requests in flight have reserved. */
  get sum(): Used {
    return [...this.#held].reduce(together, noUse);
  }

  /**
   * Runs `ask` after all earlier calls are done, and again each time a share is given back or the signal fires, until it returns a
   * value. Only the first call in line runs `ask`, so no later call overtakes it.
   */
  inLine<T extends object>(ask: () => Promise<T | null>, signal: AbortSignal): Promise<T> {
    const mine = this.#line.then(() => this.#askUntilAnswered(ask, signal));
    this.#line = mine.catch(() => undefined);
    return mine;
  }

  async #askUntilAnswered<T extends object>(ask: () => Promise<T | null>, signal: AbortSignal): Promise<T> {
    for (;;) {
      const before = this.#given;
      const answer = await ask();
      if (answer !== null) return answer;
      // A share that was given back while `ask` ran is not announced again, so `ask` runs again at once.
      if (before === this.#given && !signal.aborted) await this.#released(signal);
    }
  }

  /** Whether a request with this share may be sent now. The caller has checked that no limit is reached. */
  fits(share: Used, { run, thread }: Record<"run" | "thread", Budget>): boolean {
    if (this.#held.size === 0) return true;
    const isBounded = [run, thread].some(({ bounds }) => bounds.tokens !== null || bounds.cost !== null);
    if (isBounded && this.#held.size >= mostAtOnce) return false;
    const more = together(this.sum, share);
    return [run, thread].every(({ bounds, used }) =>
      Object.values(leftOf(bounds, together(used, more))).every((left) => left === null || left >= 0),
    );
  }

  /** Reserves a share until the returned function is called. Further calls of it do nothing. */
  hold(share: Used): () => void {
    const held = { ...share };
    this.#held.add(held);
    return () => {
      if (!this.#held.delete(held)) return;
      this.#given += 1;
      this.#wake();
    };
  }

  /** Resolves when a share is given back, or when the signal fires. */
  #released(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        signal.removeEventListener("abort", done);
        resolve();
      };
      this.#wake = done;
      signal.addEventListener("abort", done, { once: true });
    });
  }
}
