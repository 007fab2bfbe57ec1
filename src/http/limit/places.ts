// Bounds the open streams and the working threads of one user (contract, "Limits"). Each of them is a place, which the user's feed
// object keeps as a lease, so that the bound holds across isolates. A place is taken before a stream is opened or a message is
// admitted; the object that serves it gives it back. If the feed object cannot be reached, this isolate allows as many starts a
// minute as there are places: users can go on working, and a bound remains.

import { v4 as randomId } from "uuid";

import { ThreadholdError } from "#contract/error.ts";
import type { FeedDirectory, LeaseHolder, LeaseOutcome, LeaseRequest } from "#core/feed-rpc.ts";
import type { Caller } from "#core/thread-rpc.ts";
import type { Log } from "#lib/log.ts";
import { waitWithin } from "#lib/time-limit.ts";
import type { Timers } from "#lib/timers.ts";

import { createTokenBuckets } from "./rate-limiter.ts";
import type { RateLimiter } from "./rate-limiter.ts";

/** What a request is about to open or start. */
interface PlaceRequest {
  /** The object that is to serve it. */
  holder: LeaseHolder;
  /** It opens a stream: one that the Worker reads (`bridged`), or a socket or body that passes to the client unread. */
  stream: "bridged" | "handed_through" | null;
  /** It starts a run or continues one. */
  run: boolean;
}

/** A place that was taken. */
export interface Place {
  /** The caller with the lease, for the object that serves the request. */
  caller: Caller;
  /** Gives the place back if the request fails. Never rejects. */
  giveBack(): Promise<void>;
}

/** The bounds, as route handlers use them. */
export interface Places {
  /** Takes a place. Throws `rate_limited`. */
  take(caller: Caller, request: PlaceRequest): Promise<Place>;
}

/** What the bounds are built from. */
export interface PlaceSettings {
  feeds: FeedDirectory;
  timers: Timers;
  now: () => number;
  /** Streams of a user at a time, and threads of a user at work at a time. */
  streams: number;
  runs: number;
  log: Log;
}

/** Milliseconds after which a refused caller may try again. */
const retryAfterMs = 5000;

/** Milliseconds that the feed object has for its answer: longer than it waits for the holders of leases itself. */
const keeperMs = 5000;

const nothing = (): Promise<void> => Promise.resolve();

/** No bounds and no calls, for the open loopback mode. */
export const noPlaces: Places = { take: (caller) => Promise.resolve({ caller, giveBack: nothing }) };

/** Bounds for every user. Administrators' tokens without a user id count as one user together, and their runs are not bounded. */
export function createPlaces(settings: PlaceSettings): Places {
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

/** Does the work of a request that has a place. Gives the place back if the work fails. */
export async function inPlace<T>(place: Place, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    await place.giveBack();
    throw thrown;
  }
}

/** Asks the feed object, twice if it was just reset. Rejects if it does not answer; `take` then falls back to this isolate's bound. */
function ask({ feeds, timers }: PlaceSettings, owner: string | null, request: LeaseRequest): Promise<LeaseOutcome> {
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
