// Bounds how often one user may do something in a minute (contract, "Limits"). The counts are kept in the memory of one isolate; if
// the deployment binds a rate limiter, it counts admissions too. Administrators' tokens without a user id count as one user
// together. The open loopback mode has no bounds.

import { ThreadholdError } from "#contract/error.ts";
import type { Caller } from "#core/thread-rpc.ts";

import { createTokenBuckets, unlimited } from "./rate-limiter.ts";
import type { ChargedLimiter, RateLimiter } from "./rate-limiter.ts";

/** The waiting inputs of an import. */
interface ImportedInputs {
  inputs: number;
  /** Equal for an import and its repetitions, which are counted once; null if it cannot be repeated. */
  creation: string | null;
}

/** The bounds as the routes ask them. Every method throws `rate_limited`. */
export interface UserLimits {
  /** Counts a message or run about to be admitted. */
  admit(caller: Caller): Promise<void>;
  /** Counts imported inputs that wait for their runs. Never throws: inputs beyond the bound become a debt. */
  brought(caller: Caller, imported: ImportedInputs): void;
  /** Counts a thread about to be created. */
  create(caller: Caller): Promise<void>;
  /** Counts a change of a thread, a message, a queued input or a file. */
  change(caller: Caller): Promise<void>;
  /** Counts a tool about to be invoked by hand. */
  invoke(caller: Caller): Promise<void>;
  /** Does a search of files or of messages. Refuses it while too many of the user's are under way. */
  search<T>(caller: Caller, work: () => Promise<T>): Promise<T>;
}

/** Searches of a user at a time in an isolate. */
const searchesAtOnce = 4;

/** Milliseconds after which another search makes sense. */
const searchAgainMs = 2000;

/** Microseconds for which a search counts at most: a request that the platform drops never gives its place back. */
const longestSearch = 60_000_000;

/** The bounds per minute. */
export interface LimitSettings {
  admissions: number;
  changes: number;
  invocations: number;
  searches: number;
  /** Counts admissions too, across isolates. */
  platform: RateLimiter;
  now: () => number;
}

/** Bounds for every user. */
export function createUserLimits({ platform, now, ...perMinute }: LimitSettings): UserLimits {
  const buckets = (most: number): ChargedLimiter => createTokenBuckets(most, now);
  const admissions = buckets(perMinute.admissions);
  return limitsOver(admissions, searchPlaces(now), {
    admit: [admissions, platform],
    create: [buckets(perMinute.admissions)],
    change: [buckets(perMinute.changes)],
    invoke: [buckets(perMinute.invocations)],
    search: [buckets(perMinute.searches)],
  });
}

/** No bounds. */
export const noUserLimits: UserLimits = limitsOver(unlimited, (_caller, work) => work(), {
  admit: [],
  create: [],
  change: [],
  invoke: [],
  search: [],
});

type Limited = Exclude<keyof UserLimits, "brought">;

const refusals: Record<Limited, string> = {
  admit: "Too many messages and runs in a minute.",
  create: "Too many new threads in a minute.",
  change: "Too many changes in a minute.",
  invoke: "Too many tools invoked in a minute.",
  search: "Too many searches in a minute.",
};

function limitsOver(
  admissions: ChargedLimiter,
  places: UserLimits["search"],
  limiters: Record<Limited, readonly RateLimiter[]>,
): UserLimits {
  const isFirst = firstTimes();
  const taking = (name: Limited) => async (caller: Caller) => {
    for (const limiter of limiters[name]) {
      const wait = await limiter.take(keyOf(caller));
      if (wait === null) continue;
      throw new ThreadholdError({ code: "rate_limited", message: refusals[name], retry_after_ms: wait });
    }
  };
  return {
    admit: taking("admit"),
    brought(caller, { inputs, creation }) {
      if (creation !== null && !isFirst(creation)) return;
      admissions.charge(keyOf(caller), inputs);
    },
    create: taking("create"),
    change: taking("change"),
    invoke: taking("invoke"),
    async search(caller, work) {
      await taking("search")(caller);
      return places(caller, work);
    },
  };
}

/** Places for searches. Counted in the isolate, because it is the isolate's other requests that a search makes wait. */
function searchPlaces(now: () => number): UserLimits["search"] {
  const taken = new Map<string, Set<{ since: number }>>();
  return async (caller, work) => {
    const key = keyOf(caller);
    const mine = taken.get(key) ?? new Set();
    for (const one of mine) if (one.since <= now() - longestSearch) mine.delete(one);
    if (mine.size >= searchesAtOnce) {
      const message = `${String(searchesAtOnce)} of your searches are under way. Search again when one has ended.`;
      throw new ThreadholdError({ code: "rate_limited", message, retry_after_ms: searchAgainMs });
    }
    const place = { since: now() };
    taken.set(key, mine.add(place));
    try {
      return await work();
    } finally {
      mine.delete(place);
      if (mine.size === 0) taken.delete(key);
    }
  };
}

function keyOf(caller: Caller): string {
  return caller.user === null ? "admin" : `user:${caller.user}`;
}

/** The most keys that are remembered. */
const mostKeys = 10_000;

/** A function that returns true the first time it is called with a key, as long as it remembers the key. */
function firstTimes(): (key: string) => boolean {
  const keys = new Set<string>();
  return (key) => {
    if (keys.has(key)) return false;
    keys.add(key);
    const [oldest] = keys.size > mostKeys ? keys : [];
    if (oldest !== undefined) keys.delete(oldest);
    return true;
  };
}
