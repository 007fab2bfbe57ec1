// A lease is the right of a user to one open stream, or to one working thread, out of a bounded number. The user's feed object
// keeps all leases. The object that serves the stream or the run holds its lease, gives it back, and confirms it when asked.

import { z } from "zod";

/** A lease in the attachment of a stream's socket, which survives hibernation. */
export const streamLeaseSchema = z.object({
  id: z.string(),
  /** The user whose feed object keeps it; null for an administrator without a user id. */
  owner: z.string().nullable(),
  /**
   * Milliseconds since epoch at which a Worker opened the socket to bridge it to its client; absent for a client's own socket. A bridge
   * sends `ping` while its client takes what is written. A Worker whose request has ended sends nothing, and may not close the socket.
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
  /** The requested ids whose stream is open. */
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
  /** The stream has ended; with `part` `all`, the run that the request was to start will not start either. Writes nothing. */
  giveBack(id: string, part: "stream" | "all"): Promise<void>;
}
