// Limits the open streams and the running threads of one user (contract, "Limits"). Each stream and each running thread needs a lease,
// which the user's feed object stores, so that the limit holds across isolates. A lease is taken before a stream is opened or a message is
// admitted. The object that serves the stream or the run gives the lease back. If the feed object cannot be reached, this isolate limits
// the starts of a minute to the same number instead: users can continue, and a limit remains.

import { v4 as randomId } from "uuid";

import { ThreadholdError } from "#contract/error.ts";
import type { FeedDirectory, LeaseHolder, LeaseOutcome, LeaseRequest } from "#core/rpc/feed-rpc.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";
import type { Log } from "#lib/log-port.ts";
import { waitWithin } from "#lib/time-limit.ts";
import type { Timers } from "#lib/timers.ts";

import { createTokenBuckets } from "./rate-limiter.ts";
import type { RateLimiter } from "./rate-limiter.ts";

/** What a request opens or starts. */
interface LeaseUse {
  /** The object that will serve the request. */
  holder: LeaseHolder;
  /**
   * The stream that the request opens: `bridged` if the Worker reads it, `handed_through` if the Worker passes it to the client unread.
   * Null: none.
   */
  stream: "bridged" | "handed_through" | null;
  /** Whether the request starts or resumes a run. */
  run: boolean;
}

/** A lease that was taken. */
export interface TakenLease {
  /** The caller with the lease, for the object that serves the request. */
  caller: Caller;
  /**
   * Gives the lease back if the serving object will not do it: the request failed, or it opens no stream and starts no run. Never rejects.
   */
  giveBack(): Promise<void>;
}

/** Takes leases for route handlers. */
export interface UserLeases {
  /** Takes a lease. Throws `rate_limited` if the limit is reached. */
  take(caller: Caller, request: LeaseUse): Promise<TakenLease>;
}

/** Dependencies and limits. */
export interface LeaseSettings {
  feeds: FeedDirectory;
  timers: Timers;
  now: () => number;
  /** Maximal open streams and maximal running threads of a user. */
  streams: number;
  runs: number;
  log: Log;
}

/** Milliseconds after which a refused caller may try again. */
const retryAfterMs = 5000;

/** Milliseconds to wait for the feed object. It must exceed the time that the feed object waits for holders of leases. */
const keeperMs = 5000;

const nothing = (): Promise<void> => Promise.resolve();

/** Takes no leases, for the open loopback mode. */
export const noUserLeases: UserLeases = { take: (caller) => Promise.resolve({ caller, giveBack: nothing }) };

/** Limits every user. All administrators without a user id count as one user. The runs of administrators are not limited. */
export function createUserLeases(settings: LeaseSettings): UserLeases {
  const { feeds, now, log } = settings;
  const fallback = {
    streams: createTokenBuckets(settings.streams, now),
    runs: createTokenBuckets(settings.runs, now),
  };
  return {
    async take(caller, { holder, stream, run }) {
      const streams = stream === null ? null : settings.streams;
      const runs = run && caller.user !== null && !caller.admin ? settings.runs : null;
      if (streams === null && runs === null) return { caller, giveBack: nothing };
      const request: LeaseRequest = { id: randomId(), holder, streams, runs };
      const { user: owner } = caller;
      const outcome = await ask(settings, owner, request).catch((thrown: unknown) => {
        const cause = thrown instanceof Error ? thrown.message : String(thrown);
        log("error", "leases_unreachable", { cause });
        return null;
      });
      if (outcome === null) {
        const key = owner === null ? "admin" : `user:${owner}`;
        if (streams !== null) await takeToken(fallback.streams, key, tooManyStreams);
        if (runs !== null) await takeToken(fallback.runs, key, () => tooManyRuns(runs));
        return { caller, giveBack: nothing };
      }
      if (outcome === "too_many_streams") throw tooManyStreams();
      if (outcome === "too_many_runs") throw tooManyRuns(settings.runs);
      return {
        caller: { ...caller, lease: { id: request.id, bridged: stream === "bridged" } },
        giveBack: () =>
          feeds(owner)
            .giveBack(request.id, "all")
            .catch(() => undefined),
      };
    },
  };
}

/** Does the work of a request that has a lease. Gives the lease back if the work fails. */
export async function withLease<T>(lease: TakenLease, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    await lease.giveBack();
    throw thrown;
  }
}

/** Asks the feed object, twice if the first call fails. Rejects if it does not answer in time. */
function ask({ feeds, timers }: LeaseSettings, owner: string | null, request: LeaseRequest): Promise<LeaseOutcome> {
  const take = (): Promise<LeaseOutcome> => feeds(owner).take(request);
  return waitWithin(() => take().catch(take), {
    timers,
    milliseconds: keeperMs,
    onTimeout: () => {
      throw new Error("The feed object that keeps the leases does not answer.");
    },
  });
}

async function takeToken(bucket: RateLimiter, key: string, refusal: () => ThreadholdError): Promise<void> {
  if ((await bucket.take(key)) !== null) throw refusal();
}

function tooManyStreams(): ThreadholdError {
  return new ThreadholdError({ code: "rate_limited", message: "Too many open streams.", retry_after_ms: retryAfterMs });
}

function tooManyRuns(most: number): ThreadholdError {
  const message = `${String(most)} of your threads are at work already. Wait for one, or stop it.`;
  return new ThreadholdError({ code: "rate_limited", message, retry_after_ms: retryAfterMs });
}
