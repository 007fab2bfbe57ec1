// The shares of a run's budget that model requests in flight hold. A request that asks for a share waits until used, held and
// its own share together fit under every bound, or until no other request is in flight. So calls side by side go beyond a
// bound by no more than one request, and by what at most five requests use beyond their shares.

import { leftOf, noUse, together } from "./amounts.ts";
import type { Used } from "./amounts.ts";
import type { Budget } from "./reached.ts";

/** Requests of a run in flight at once where tokens or money are bounded. The object sends five at once anyway. */
const mostAtOnce = 5;

/** One per drive of a run. */
export class Reservations {
  readonly #held = new Set<Used>();
  #line: Promise<unknown> = Promise.resolve();
  /** Shares that were given back. */
  #given = 0;
  #wake: () => void = () => {};

  /** What requests in flight hold together. */
  get sum(): Used {
    return [...this.#held].reduce(together, noUse);
  }

  /**
   * Runs `ask` after those that came before, and again each time a share is given back or the signal fires, until it answers
   * something. Only the first in line asks, so none overtakes it.
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
      // A share that was given back while `ask` ran is not announced again.
      if (before === this.#given && !signal.aborted) await this.#released(signal);
    }
  }

  /** Whether a request with this share may be sent now; no limit is reached. */
  fits(share: Used, { run, thread }: Record<"run" | "thread", Budget>): boolean {
    if (this.#held.size === 0) return true;
    const isBounded = [run, thread].some(({ bounds }) => bounds.tokens !== null || bounds.cost !== null);
    if (isBounded && this.#held.size >= mostAtOnce) return false;
    const more = together(this.sum, share);
    return [run, thread].every(({ bounds, used }) =>
      Object.values(leftOf(bounds, together(used, more))).every((left) => left === null || left >= 0),
    );
  }

  /** Holds a share until the returned function is called, once or more often. */
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
