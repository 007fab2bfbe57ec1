// Which socket tickets were used. Kept in memory: a ticket lives 30 s, and an object that is reset within that time forgets;
// the ticket's path, caller and expiry are signed and hold all the same.

/** Most nonces that are remembered; beyond that the oldest go. */
const remembered = 10_000;

/** Used tickets of one object. */
export class UsedTickets {
  readonly #used = new Map<string, number>();

  /** True for the first use of a ticket before its expiry. Times in microseconds. */
  redeem(nonce: string, expiresAt: number, now: number): boolean {
    for (const [known, end] of this.#used) {
      if (end > now && this.#used.size < remembered) break;
      this.#used.delete(known);
    }
    if (expiresAt <= now || this.#used.has(nonce)) return false;
    this.#used.set(nonce, expiresAt);
    return true;
  }
}
