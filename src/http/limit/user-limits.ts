// Bounds how often one user may do something in a minute (contract, "Auth"). The counts are kept in the memory of one isolate; if
// the deployment binds a rate limiter, it counts admissions too. Administrators' tokens without a user id count as one user
// together. The open loopback mode has no bounds.

import { ThreadholdError } from "#contract/error.ts";
import type { Caller } from "#core/thread-rpc.ts";

import { createTokenBuckets, unlimited } from "./rate-limiter.ts";
import type { ChargedLimiter, RateLimiter } from "./rate-limiter.ts";

/** The bounds as the routes ask them. Every method throws `rate_limited`. */
export interface UserLimits {
  /** Counts a message or run about to be admitted. */
  admit(caller: Caller): Promise<void>;
  /** Counts imported inputs that wait for their runs. Never throws: inputs beyond the bound become a debt. */
  brought(caller: Caller, inputs: number): void;
  /** Counts a thread about to be created. */
  create(caller: Caller): Promise<void>;
  /** Counts a change of a thread, a message, a queued input or a file. */
  change(caller: Caller): Promise<void>;
  /** Counts a tool about to be invoked by hand. */
  invoke(caller: Caller): Promise<void>;
}

/** The bounds per minute. */
export interface LimitSettings {
  admissions: number;
  changes: number;
  invocations: number;
  /** Counts admissions too, across isolates. */
  platform: RateLimiter;
  now: () => number;
}

/** Bounds for every user. */
export function createUserLimits({ platform, now, ...perMinute }: LimitSettings): UserLimits {
  const buckets = (most: number): ChargedLimiter => createTokenBuckets(most, now);
  const admissions = buckets(perMinute.admissions);
  return limitsOver(admissions, {
    admit: [admissions, platform],
    create: [buckets(perMinute.admissions)],
    change: [buckets(perMinute.changes)],
    invoke: [buckets(perMinute.invocations)],
  });
}

/** No bounds. */
export const noUserLimits: UserLimits = limitsOver(unlimited, { admit: [], create: [], change: [], invoke: [] });

type Limited = Exclude<keyof UserLimits, "brought">;

const refusals: Record<Limited, string> = {
  admit: "Too many messages and runs in a minute.",
  create: "Too many new threads in a minute.",
  change: "Too many changes in a minute.",
  invoke: "Too many tools invoked in a minute.",
};

function limitsOver(admissions: ChargedLimiter, limiters: Record<Limited, readonly RateLimiter[]>): UserLimits {
  const taking = (name: Limited) => async (caller: Caller) => {
    for (const limiter of limiters[name]) {
      const wait = await limiter.take(keyOf(caller));
      if (wait === null) continue;
      throw new ThreadholdError({ code: "rate_limited", message: refusals[name], retry_after_ms: wait });
    }
  };
  return {
    admit: taking("admit"),
    brought: (caller, inputs) => admissions.charge(keyOf(caller), inputs),
    create: taking("create"),
    change: taking("change"),
    invoke: taking("invoke"),
  };
}

function keyOf(caller: Caller): string {
  return caller.user === null ? "admin" : `user:${caller.user}`;
}
