// A lease is a user's right to one open stream or to one running thread. The number of leases of a user is bounded. The user's feed object
// counts them; the object that serves the stream or the run holds the lease, gives it back, and confirms it on request of the feed.

import { z } from "zod";

/** A lease in the attachment of a stream's socket, which survives hibernation. */
export const streamLeaseSchema = z.object({
  id: z.string(),
  /** The user whose feed object counts the lease; null for an administrator without a user id. */
  owner: z.string().nullable(),
  /**
   * The time at which a Worker opened the socket to forward the stream to its client (a bridge), in milliseconds since epoch. Absent for a
   * socket that a client opened. A bridge sends `ping` while its client reads. A Worker whose request has ended sends nothing, and may fail
   * to close the socket.
   */
  bridged_at: z.number().optional(),
});
export type StreamLease = z.infer<typeof streamLeaseSchema>;

/** Milliseconds without a `ping` after which a bridged socket counts as abandoned. A bridge sends one at least every 15 s. */
const silenceMs = 40_000;

/** Whether the client of a stream is connected, judged by its socket's last ping. `now` is milliseconds. */
export function isAttended({ bridged_at }: StreamLease, lastPing: Date | null, now: number): boolean {
  return bridged_at === undefined || Math.max(bridged_at, lastPing?.getTime() ?? 0) + silenceMs > now;
}

/** The object that serves a leased stream or run: a thread's, or the feed of an owner. */
export type LeaseHolder = { thread: string } | { feed: string | null };

/** A request for a lease. */
export interface LeaseRequest {
  /** A random id. A request that is repeated with the same id takes no second lease. */
  id: string;
  holder: LeaseHolder;
  /** The maximum number of streams that may be open at a time; null if the request opens no stream. */
  streams: number | null;
  /** The maximum number of threads that may run at a time; null if the request starts no run, or if their number is not bounded. */
  runs: number | null;
}

/** The outcome of a request. */
export type LeaseOutcome = "granted" | "too_many_streams" | "too_many_runs";

/** The leases that an object still serves. */
export interface HeldLeases {
  /** The requested ids whose stream is open. */
  streams: string[];
  /** Whether a run is active. Always false for a feed. */
  working: boolean;
}

/** An object that holds leases. Contract: `held` reads its memory and its row, and writes nothing. */
export interface HoldsLeases {
  held(ids: readonly string[]): Promise<HeldLeases>;
}

/** The object that counts the leases of one owner. */
export interface KeepsLeases {
  /** Takes a lease. Contract: writes one row if the lease is granted, and none if it is refused. */
  take(request: LeaseRequest): Promise<LeaseOutcome>;
  /** Gives a lease back. `stream`: the stream has ended. `all`: the stream has ended, and the request starts no run. Writes nothing. */
  giveBack(id: string, part: "stream" | "all"): Promise<void>;
}
