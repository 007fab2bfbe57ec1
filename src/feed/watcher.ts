// One watcher over one socket. How far it is lives in the socket's attachment, so that it outlasts hibernation and nothing of it
// is in memory. What it has not acknowledged is bounded: one that does not keep up is let go, comes back and lists.

import { z } from "zod";

import { acknowledgementSchema } from "#contract/acknowledgement.ts";
import { tooSlowCloseCode } from "#contract/error.ts";
import { bodyBounds } from "#contract/json.ts";
import { expiredCloseCode, watcherWindow } from "#contract/subscription.ts";
import { streamLeaseSchema } from "#core/lease.ts";
import type { StreamLease } from "#core/lease.ts";
import { parseBoundedJson } from "#lib/bounded-json.ts";

const placeSchema = z.object({
  owner: z.string().nullable(),
  /** UTF-16 units of all it was sent: the `seq` of the last frame. */
  sent: z.number().int().nonnegative(),
  acknowledged: z.number().int().nonnegative(),
  /** The expiry of its credentials, in microseconds since epoch; absent if they do not expire. */
  endsAt: z.number().optional(),
  /** The lease of this stream. */
  lease: streamLeaseSchema.optional(),
});

/** The part of a socket that a watcher needs. */
export interface WatcherSocket {
  send(text: string): void;
  close(code: number, reason: string): void;
  serializeAttachment(value: unknown): void;
  deserializeAttachment(): unknown;
}

/** An acknowledgement is no longer than this. */
const longestMessage = 200;

/** A subscription to a feed. */
export class Watcher {
  readonly #socket: WatcherSocket;
  readonly #place: z.infer<typeof placeSchema>;

  private constructor(socket: WatcherSocket, place: z.infer<typeof placeSchema>) {
    this.#socket = socket;
    this.#place = place;
  }

  /** Begins one on a socket that was just accepted. */
  static begin(
    socket: WatcherSocket,
    owner: string | null,
    { endsAt, lease }: { endsAt: number | null; lease: StreamLease | null },
  ): Watcher {
    const optional = { ...(endsAt === null ? {} : { endsAt }), ...(lease === null ? {} : { lease }) };
    return new Watcher(socket, { owner, sent: 0, acknowledged: 0, ...optional });
  }

  /** The watcher of a socket that was accepted earlier; null when its attachment is not ours. */
  static of(socket: WatcherSocket): Watcher | null {
    const place = placeSchema.safeParse(socket.deserializeAttachment());
    return place.success ? new Watcher(socket, place.data) : null;
  }

  get owner(): string | null {
    return this.#place.owner;
  }

  get lease(): StreamLease | null {
    return this.#place.lease ?? null;
  }

  /** Characters that may still be sent before something is acknowledged. */
  get room(): number {
    const { sent, acknowledged } = this.#place;
    return watcherWindow - (sent - acknowledged);
  }

  /** Closes the socket if its credentials have expired, and returns true then. */
  endedAt(now: number): boolean {
    if (now < (this.#place.endsAt ?? Number.POSITIVE_INFINITY)) return false;
    this.#close(expiredCloseCode, "token_expired");
    return true;
  }

  /** Sends a frame, given as JSON of an object without its number. Without room for it the watcher is let go. */
  send(frame: string): void {
    if (this.room < frame.length) {
      this.#close(tooSlowCloseCode, "too_slow");
      return;
    }
    const seq = this.#place.sent + frame.length;
    this.#place.sent = seq;
    try {
      this.#socket.send(`${frame.slice(0, -1)},"seq":${String(seq)}}`);
    } catch {
      // The other side has left, and its close is on its way here.
      return;
    }
    this.#save();
  }

  /** Takes what a watcher says: an acknowledgement; anything else is passed over. */
  heard(message: string): void {
    const parsed = message.length > longestMessage ? null : acknowledgementSchema.safeParse(safeJson(message));
    if (parsed?.success !== true) return;
    const { sent, acknowledged } = this.#place;
    // A number that was never sent makes no room.
    if (parsed.data.seq > sent || parsed.data.seq <= acknowledged) return;
    this.#place.acknowledged = parsed.data.seq;
    this.#save();
  }

  #save(): void {
    this.#socket.serializeAttachment(this.#place);
  }

  #close(code: number, reason: string): void {
    try {
      this.#socket.close(code, reason);
    } catch {
      // The other side closed first.
    }
  }
}

function safeJson(text: string): unknown {
  try {
    return parseBoundedJson(text, bodyBounds);
  } catch {
    return null;
  }
}
