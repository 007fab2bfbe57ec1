// Slows the guessing of credentials. After a few wrong ones an address has to wait, longer each time. Meanwhile right
// credentials are refused like wrong ones, so that a guesser cannot recognise them by the answer. Callers whose credentials were
// right from the address before are not delayed, so that a guesser cannot lock them out. The counts are kept in the memory of
// one isolate and dropped after 15 minutes without a wrong try.

import type { Caller } from "#core/thread-rpc.ts";
import { backOffMs } from "#lib/back-off.ts";

/** Wrong and right credentials by address; null stands for all callers if the platform names no address. */
export interface FailureThrottle {
  /** Milliseconds that the address has to wait; null if it does not. */
  wait(address: string | null): number | null;
  /** Counts one wrong try. */
  fail(address: string | null): void;
  /** Whether credentials of this caller were right from the address before. */
  knows(address: string | null, caller: Caller): boolean;
  /** Records that credentials of this caller were right from the address. */
  remember(address: string | null, caller: Caller): void;
}

const freeFailures = 5;
const firstWaitMs = 1000;
const longestWaitMs = 300_000;
/** The longest wait of the null address, which all callers share: a guesser there delays every caller that is not known yet. */
const longestSharedWaitMs = 8000;
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
      const longest = address === null ? longestSharedWaitMs : longestWaitMs;
      const wait = backOffMs(failed.count - freeFailures + 1, { first: firstWaitMs, longest });
      const remaining = failed.at + wait * 1000 - now();
      return remaining > 0 ? Math.ceil(remaining / 1000) : null;
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
      // The set is ordered by use: the caller that was right longest ago is removed first.
      known.delete(key);
      known.add(key);
      if (known.size > callerLimit) known.delete(known.keys().next().value ?? "");
    },
  };
}
