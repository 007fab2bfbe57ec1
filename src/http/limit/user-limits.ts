// What one user may do at a time (contract, "Auth"): admissions and thread creations per minute, streams held open. An
// administrator's token that stands for nobody counts as one user. In the open loopback mode nothing is bounded.

import { ThreadholdError } from "#contract/error.ts";
import type { Caller } from "#core/thread-rpc.ts";

import { createOpenStreams } from "./open-streams.ts";
import { createTokenBuckets, unlimited } from "./rate-limiter.ts";
import type { RateLimiter } from "./rate-limiter.ts";

/** The bounds as the routes ask them. Every method throws `rate_limited`. */
export interface UserLimits {
  /** Counts a message or run about to be admitted. */
  admit(caller: Caller): Promise<void>;
  /** Counts a thread about to be created. */
  create(caller: Caller): Promise<void>;
  /** Counts a stream about to be opened and gives the function that gives it back. */
  openStream(caller: Caller): () => void;
}

/** How much is allowed. */
export interface LimitSettings {
  admissionsPerMinute: number;
  openStreams: number;
  /** Counts admissions in place of the isolate's own buckets. */
  admissions: RateLimiter | undefined;
  now: () => number;
}

/** Bounds for every user. */
export function createUserLimits(settings: LimitSettings): UserLimits {
  const admissions = settings.admissions ?? createTokenBuckets(settings.admissionsPerMinute, settings.now);
  const creations = createTokenBuckets(settings.admissionsPerMinute, settings.now);
  const streams = createOpenStreams(settings.openStreams);
  return limitsOver(admissions, creations, (key) => streams.open(key));
}

/** No bounds. */
export const noUserLimits: UserLimits = limitsOver(unlimited, unlimited, () => () => undefined);

function limitsOver(
  admissions: RateLimiter,
  creations: RateLimiter,
  open: (key: string) => (() => void) | null,
): UserLimits {
  return {
    async admit(caller) {
      const wait = await admissions.take(keyOf(caller));
      if (wait !== null) throw tooMany("Too many messages and runs in a minute.", wait);
    },
    async create(caller) {
      const wait = await creations.take(keyOf(caller));
      if (wait !== null) throw tooMany("Too many new threads in a minute.", wait);
    },
    openStream(caller) {
      const close = open(keyOf(caller));
      if (close === null) throw tooMany("Too many open streams.", 5000);
      return close;
    },
  };
}

function keyOf(caller: Caller): string {
  return caller.user === null ? "admin" : `user:${caller.user}`;
}

function tooMany(message: string, wait: number): ThreadholdError {
  return new ThreadholdError({ code: "rate_limited", message, retry_after_ms: wait });
}
