// Slows the guessing of credentials: after a few wrong ones an address has to wait, longer each time. Counted in the
// memory of one isolate and forgotten after a quiet while. Right credentials are never held up and do not clear the count.

/** Wrong credentials by address. */
export interface FailureThrottle {
  /** Milliseconds until the address may try again, or null when it may. */
  wait(address: string): number | null;
  /** Counts one wrong try. */
  fail(address: string): void;
}

const freeFailures = 5;
const longestWaitMicros = 300_000_000;
const quietMicros = 900_000_000;
const addressLimit = 10_000;

/** A throttle. `now` is microseconds. */
export function createFailureThrottle(now: () => number): FailureThrottle {
  const failures = new Map<string, { count: number; at: number }>();
  return {
    wait(address) {
      const known = failures.get(address);
      if (known === undefined || known.count < freeFailures) return null;
      const wait = Math.min(longestWaitMicros, 1_000_000 * 2 ** (known.count - freeFailures));
      const left = known.at + wait - now();
      return left > 0 ? Math.ceil(left / 1000) : null;
    },
    fail(address) {
      const at = now();
      const known = failures.get(address);
      const count = known === undefined || at - known.at > quietMicros ? 1 : known.count + 1;
      failures.delete(address);
      failures.set(address, { count, at });
      const oldest = failures.size > addressLimit ? failures.keys().next().value : undefined;
      if (oldest !== undefined) failures.delete(oldest);
    },
  };
}
