// Slows the guessing of credentials. After a few wrong ones an address has to wait, longer each time, and meanwhile right
// credentials are refused like wrong ones: else a guesser would read the right one off the answer. Callers that were right from
// that address before go on, so that a guesser locks nobody out who works there. Counted in the memory of one isolate and
// forgotten after a quiet while.

import type { Caller } from "#core/thread-rpc.ts";

/** Wrong and right credentials by address; null is the address of all callers where the platform names none. */
export interface FailureThrottle {
  /** Milliseconds until credentials from the address are looked at again, or null when they are now. */
  wait(address: string | null): number | null;
  /** Counts one wrong try. */
  fail(address: string | null): void;
  /** Whether this caller's credentials were right from the address before. */
  knows(address: string | null, caller: Caller): boolean;
  /** Remembers that they were. */
  remember(address: string | null, caller: Caller): void;
}

const freeFailures = 5;
const longestWaitMicros = 300_000_000;
/** Everybody is at the address that is not named, so that a guesser there delays those who come new. */
const longestSharedWaitMicros = 8_000_000;
const quietMicros = 900_000_000;
const addressLimit = 10_000;
const callerLimit = 10_000;

/** A throttle. `now` is microseconds. */
export function createFailureThrottle(now: () => number): FailureThrottle {
  const failures = new Map<string | null, { count: number; at: number }>();
  const known = new Set<string>();
  const keyOf = (address: string | null, { user, admin }: Caller) => JSON.stringify([address, user, admin]);
  return {
    wait(address) {
      const failed = failures.get(address);
      if (failed === undefined || failed.count < freeFailures) return null;
      const longest = address === null ? longestSharedWaitMicros : longestWaitMicros;
      const wait = Math.min(longest, 1_000_000 * 2 ** (failed.count - freeFailures));
      const left = failed.at + wait - now();
      return left > 0 ? Math.ceil(left / 1000) : null;
    },
    fail(address) {
      const at = now();
      const failed = failures.get(address);
      const count = failed === undefined || at - failed.at > quietMicros ? 1 : failed.count + 1;
      failures.delete(address);
      failures.set(address, { count, at });
      if (failures.size > addressLimit) failures.delete(failures.keys().next().value ?? null);
    },
    knows: (address, caller) => known.has(keyOf(address, caller)),
    remember(address, caller) {
      const key = keyOf(address, caller);
      // The one that was right last is forgotten last.
      known.delete(key);
      known.add(key);
      if (known.size > callerLimit) known.delete(known.keys().next().value ?? "");
    },
  };
}
