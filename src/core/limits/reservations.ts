// Keeps the shares of a run's budget that are reserved for model requests in flight. A request waits until the used, the reserved and its
// own share together fit every bound, or until no other request is in flight. So concurrent calls exceed a bound by at most one request,
// and by the amounts that at most five requests use in addition to their reserved shares.

import { zeroUse, addUsed } from "./amounts.ts";
import type { Used } from "./amounts.ts";
import { exceededLimit } from "./reached.ts";
import type { Budget } from "./reached.ts";

/** The maximum number of a run's requests in flight if tokens or money are bounded. An object sends at most five at once in any case. */
const maxConcurrentRequests = 5;

/** A reserved share. */
export interface Reservation {
  release: () => void;
  /** Reserves another share in place of this one, if it fits and `isAllowed` returns true. Returns whether it was replaced. */
  replace: (share: Used, budgets: Record<"run" | "thread", Budget>, isAllowed?: () => boolean) => boolean;
}

/** The reservations of one execution of a run. */
export class Reservations {
  readonly #reserved = new Set<Used>();
  #queue: Promise<unknown> = Promise.resolve();
  /** The number of shares given back so far. */
  #releases = 0;
  #wake: () => void = () => {};

  /** The sum of the shares that requests in flight have reserved. */
  get sum(): Used {
    return [...this.#reserved].reduce(addUsed, zeroUse);
  }

  /**
   * Runs `ask` after all earlier calls are done, and again each time a share is given back or the signal fires, until it returns a
   * value. Only the first call in line runs `ask`, so no later call overtakes it.
   */
  inOrder<T extends object>(ask: () => Promise<T | null>, signal: AbortSignal): Promise<T> {
    const turn = this.#queue.then(() => this.#askUntilAnswered(ask, signal));
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  async #askUntilAnswered<T extends object>(ask: () => Promise<T | null>, signal: AbortSignal): Promise<T> {
    for (;;) {
      const before = this.#releases;
      const answer = await ask();
      if (answer !== null) return answer;
      // If a share was given back while `ask` ran, `#released` would wait for the next one, so `ask` runs again at once.
      if (before === this.#releases && !signal.aborted) await this.#released(signal);
    }
  }

  /** Whether a request with this share may be sent now. The caller has checked that no limit is reached. */
  fits(share: Used, budgets: Record<"run" | "thread", Budget>): boolean {
    if (this.#reserved.size === 0) return true;
    const { run, thread } = budgets;
    const isBounded = [run, thread].some(({ bounds }) => bounds.tokens !== null || bounds.cost !== null);
    if (isBounded && this.#reserved.size >= maxConcurrentRequests) return false;
    return exceededLimit(budgets, addUsed(this.sum, share)) === null;
  }

  /** Reserves a share until `release` is called. Further calls of it do nothing. */
  reserve(share: Used): Reservation {
    let reserved = { ...share };
    this.#reserved.add(reserved);
    return {
      release: () => {
        if (!this.#reserved.delete(reserved)) return;
        this.#releases += 1;
        this.#wake();
      },
      replace: (other, budgets, isAllowed = () => true) => {
        if (!this.#reserved.delete(reserved)) return false;
        const isReplaced = this.fits(other, budgets) && isAllowed();
        if (isReplaced) reserved = { ...other };
        this.#reserved.add(reserved);
        return isReplaced;
      },
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
