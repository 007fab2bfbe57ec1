// Keeps the used socket tickets in memory. A ticket is valid for 30 s. After a reset of the object in that time, a used ticket can be used
// again, but only for its path, its caller and until its expiry, which are signed.

/** The maximum number of nonces in memory. The oldest ones are removed first. */
const mostNonces = 10_000;

/** The used tickets of one object. */
export class UsedTickets {
  readonly #used = new Map<string, number>();

  /** Returns true for the first use of a ticket before its expiry. Times are microseconds. */
  redeem(nonce: string, expiresAt: number, now: number): boolean {
    for (const [old, end] of this.#used) {
      if (end > now && this.#used.size < mostNonces) break;
      this.#used.delete(old);
    }
    if (expiresAt <= now || this.#used.has(nonce)) return false;
    this.#used.set(nonce, expiresAt);
    return true;
  }
}
