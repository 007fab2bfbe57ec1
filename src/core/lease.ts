// A lease: the place of one stream, or of one thread at work, among those that a user may have at a time. The feed object of the
// user keeps the leases; the object that serves the stream or the run holds them, gives them back, and can be asked about them.

import { z } from "zod";

/** A lease as a stream's socket carries it in its attachment, so that it outlasts hibernation. */
export const streamLeaseSchema = z.object({
  id: z.string(),
  /** The user whose feed object keeps it; null for an administrator that stands for nobody. */
  owner: z.string().nullable(),
  /**
   * Milliseconds since epoch at which a Worker opened the socket to bridge it to its client; absent for a client's own socket. A bridge
   * sends `ping` while its client takes what is written. A Worker whose request has ended sends nothing, and may not close the socket.
   */
  bridged_at: z.number().optional(),
});
export type StreamLease = z.infer<typeof streamLeaseSchema>;

/** Milliseconds without a `ping` after which a bridged socket counts as left. The slowest bridge sends one every 15 s. */
const silenceMs = 40_000;

/** Whether a stream's client is there, as far as its socket shows. `now` is milliseconds. */
export function isAttended({ bridged_at }: StreamLease, lastPing: Date | null, now: number): boolean {
  return bridged_at === undefined || Math.max(bridged_at, lastPing?.getTime() ?? 0) + silenceMs > now;
}

/** The object that serves a leased stream or run: a thread's, or the feed of an owner. */
export type LeaseHolder = { thread: string } | { feed: string | null };

/** A request for a lease. */
export interface LeaseRequest {
  /** A random id; a repeated request with it takes nothing more. */
  id: string;
  holder: LeaseHolder;
  /** Streams that may be open at a time; null when no stream follows. */
  streams: number | null;
  /** Threads that may be at work at a time; null when no run follows, or when it is not bounded. */
  runs: number | null;
}

/** The outcome of a request. */
export type LeaseOutcome = "granted" | "too_many_streams" | "too_many_runs";

/** What a holder still serves. */
export interface HeldLeases {
  /** Those of the ids that are asked for whose stream is open. */
  streams: string[];
  /** A run is at work. Always false for a feed. */
  working: boolean;
}

/** An object that holds leases. Contract: answers from its memory and its row, and writes nothing. */
export interface HoldsLeases {
  held(ids: readonly string[]): Promise<HeldLeases>;
}

/** An object that keeps the leases of one owner. */
export interface KeepsLeases {
  /** Takes a lease. Contract: writes one row when it is granted, and none when it is not. */
  take(request: LeaseRequest): Promise<LeaseOutcome>;
  /** The stream is over; with `part` `all`, a run that was to follow will not either. Writes nothing. */
  giveBack(id: string, part: "stream" | "all"): Promise<void>;
}
