// What one user may have at a time: streams that are open, threads that are at work (contract, "Auth"). The user's own feed object
// keeps the places as leases, whatever isolate a request comes in at. A place is taken before anything is opened or admitted; the
// object that serves it gives it back. Where the keeper cannot be reached, the isolate lets through as many starts a minute as there
// may be at a time: a broken keeper stops nobody's work, and opens no bound without end.

import { v4 as randomId } from "uuid";

import { ThreadholdError } from "#contract/error.ts";
import type { FeedDirectory, LeaseHolder, LeaseOutcome, LeaseRequest } from "#core/feed-rpc.ts";
import type { Caller } from "#core/thread-rpc.ts";
import { pause } from "#lib/timers.ts";
import type { Timers } from "#lib/timers.ts";

import { createTokenBuckets } from "./rate-limiter.ts";
import type { RateLimiter } from "./rate-limiter.ts";

/** What a request is about to begin. */
export interface PlaceRequest {
  /** The object that is to serve it. */
  holder: LeaseHolder;
  /** It opens a stream: one that the Worker reads, or a socket or body that is handed through to the client. */
  stream: "bridged" | "handed_through" | null;
  /** It starts a run, or lets one go on. */
  run: boolean;
}

/** A place that was taken. */
export interface Place {
  /** The caller as the holder is to see it: with the lease. */
  caller: Caller;
  /** Gives it back where nothing came of the request. Never rejects. */
  giveBack(): Promise<void>;
}

/** The bounds as the routes ask them. */
export interface Places {
  /** Throws `rate_limited`. */
  take(caller: Caller, request: PlaceRequest): Promise<Place>;
}

/** What they are built from. */
export interface PlaceSettings {
  feeds: FeedDirectory;
  timers: Timers;
  now: () => number;
  /** Streams of a user at a time, and threads of a user at work at a time. */
  streams: number;
  runs: number;
  report: (line: string) => void;
}

/** Milliseconds after which another try makes sense. */
const retryAfterMs = 5000;

/** Milliseconds that a keeper has for its answer: longer than it waits for holders itself. */
const keeperMs = 5000;

const nothing = (): Promise<void> => Promise.resolve();

/** Bounds nothing and asks no object: the open loopback mode. */
export const noPlaces: Places = { take: (caller) => Promise.resolve({ caller, giveBack: nothing }) };

/** Bounds for every user. An administrator's token that stands for nobody counts as one user, and its runs are not bounded. */
export function createPlaces(settings: PlaceSettings): Places {
  const { feeds, now, report } = settings;
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
        report(JSON.stringify({ level: "error", event: "leases_unreachable", cause }));
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

/** Does the work of a request in its place, which goes back where the work fails. */
export async function inPlace<T>(place: Place, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    await place.giveBack();
    throw thrown;
  }
}

/** Asks the keeper, a second time where it was just reset. Rejects where it does not answer. */
async function ask(
  { feeds, timers }: PlaceSettings,
  owner: string | null,
  request: LeaseRequest,
): Promise<LeaseOutcome> {
  const late = pause(timers, keeperMs);
  const noAnswer = late.done.then((): LeaseOutcome => {
    throw new Error("The keeper of the leases does not answer.");
  });
  const take = (): Promise<LeaseOutcome> => feeds(owner).take(request);
  try {
    return await Promise.race([take().catch(take), noAnswer]);
  } finally {
    // Called off it ends at once, and nobody waits for it any more.
    noAnswer.catch(() => undefined);
    late.cancel();
  }
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
