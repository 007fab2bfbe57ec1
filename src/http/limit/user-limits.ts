// Limits how often one user may do something in a minute (contract, "Limits"). The counts are in the memory of one isolate; a rate
// limiter of the platform, if bound, counts admissions too. All administrators without a user id count as one user. The open loopback
// mode has no limits.

import { ThreadholdError } from "#contract/error.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";

import { createTokenBuckets, unlimited } from "./rate-limiter.ts";
import type { ChargedLimiter, RateLimiter } from "./rate-limiter.ts";

/** The queued inputs of a thread that was imported. */
interface ImportedInputs {
  inputs: number;
  /**
   * Identifies the request for the import. Repeated requests have the same value and are counted once. Null for a request without an
   * idempotency key.
   */
  creation: string | null;
}

/** The limits as route handlers use them. Every method except `chargeImported` throws `rate_limited` if its limit is reached. */
export interface UserLimits {
  /** Counts a message or run that is about to be admitted. */
  admit(caller: Caller): Promise<void>;
  /** Counts queued inputs that were imported. Never throws: inputs beyond the limit become a debt. */
  chargeImported(caller: Caller, imported: ImportedInputs): void;
  /** Counts a thread that is about to be created. */
  create(caller: Caller): Promise<void>;
  /** Counts a change of a thread, a message, a queued input or a file. */
  change(caller: Caller): Promise<void>;
  /** Counts a tool that is about to be invoked directly, or another request to a server that an administrator makes: a source, a model. */
  invoke(caller: Caller): Promise<void>;
  /** Counts a request that may read much: a list, a usage report, an export, a whole conversation, the context of a request, a file or folder. */
  list(caller: Caller): Promise<void>;
  /** Runs a search of files or messages. Refuses it while too many searches of the user are running. */
  search<T>(caller: Caller, work: () => Promise<T>): Promise<T>;
}

/** Concurrent searches of a user in an isolate. */
const searchesAtOnce = 4;

/** Milliseconds after which a refused search may be tried again. */
const searchAgainMs = 2000;

/** Microseconds for which a search counts at most, because a request that the platform drops never reports its end. */
const longestSearch = 60_000_000;

/** The limits for one minute. */
export interface LimitSettings {
  admissions: number;
  changes: number;
  invocations: number;
  lists: number;
  searches: number;
  /** Also counts admissions, across isolates. */
  platform: RateLimiter;
  now: () => number;
}

/** Creates the limits of every user. */
export function createUserLimits({ platform, now, ...perMinute }: LimitSettings): UserLimits {
  const buckets = (most: number): ChargedLimiter => createTokenBuckets(most, now);
  const admissions = buckets(perMinute.admissions);
  return limitsOver(admissions, searchPlaces(now), {
    admit: [admissions, platform],
    create: [buckets(perMinute.admissions)],
    change: [buckets(perMinute.changes)],
    invoke: [buckets(perMinute.invocations)],
    list: [buckets(perMinute.lists)],
    search: [buckets(perMinute.searches)],
  });
}

/** Permits everything. */
export const noUserLimits: UserLimits = limitsOver(unlimited, (_caller, work) => work(), {
  admit: [],
  create: [],
  change: [],
  invoke: [],
  list: [],
  search: [],
});

type Limited = Exclude<keyof UserLimits, "chargeImported">;

const refusals: Record<Limited, string> = {
  admit: "Too many messages and runs in a minute.",
  create: "Too many new threads in a minute.",
  change: "Too many changes in a minute.",
  invoke: "Too many tools invoked, or sources and models tried, in a minute.",
  list: "Too many lists, reports, exports and reads of files in a minute.",
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
    chargeImported(caller, { inputs, creation }) {
      if (creation !== null && !isFirst(creation)) return;
      admissions.charge(keyOf(caller), inputs);
    },
    create: taking("create"),
    change: taking("change"),
    invoke: taking("invoke"),
    list: taking("list"),
    async search(caller, work) {
      await taking("search")(caller);
      return places(caller, work);
    },
  };
}

/** Limits concurrent searches. It counts in the isolate, because a search delays the isolate's other requests. */
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

/** Maximum number of stored keys. */
const mostKeys = 10_000;

/** Returns a function that is true at its first call with a key. Only the newest `mostKeys` keys are stored. */
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
