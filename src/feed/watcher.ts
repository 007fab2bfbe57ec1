// A watcher: one subscriber of a feed over a WebSocket. Its progress is stored in the socket's attachment, so it survives
// hibernation. The unacknowledged data is bounded: a watcher that reads too slowly is disconnected, and lists the threads again.

import { z } from "zod";

import { readAcknowledgement } from "#contract/acknowledgement.ts";
import { tooSlowCloseCode } from "#contract/error.ts";
import { expiredCloseCode, watcherWindow } from "#contract/stream-limits.ts";
import { streamLeaseSchema } from "#core/rpc/lease.ts";
import type { StreamLease } from "#core/rpc/lease.ts";

const attachmentSchema = z.object({
  owner: z.string().nullable(),
  /** UTF-16 units that were sent so far: the `seq` of the last frame. */
  sent: z.number().int().nonnegative(),
  acknowledged: z.number().int().nonnegative(),
  /** When the caller's credentials expire, in microseconds since the epoch; absent if they do not expire. */
  endsAt: z.number().optional(),
  /** The lease of this stream, if streams of its owner are limited. */
  lease: streamLeaseSchema.optional(),
});

/** The part of a WebSocket that a watcher uses. */
export interface WatcherSocket {
  send(text: string): void;
  close(code: number, reason: string): void;
  serializeAttachment(value: unknown): void;
  deserializeAttachment(): unknown;
}

/** One subscriber of a feed. */
export class Watcher {
  readonly #socket: WatcherSocket;
  readonly #attachment: z.infer<typeof attachmentSchema>;

  private constructor(socket: WatcherSocket, attachment: z.infer<typeof attachmentSchema>) {
    this.#socket = socket;
    this.#attachment = attachment;
  }

  /** Creates the watcher of a socket that was just accepted. */
  static create(
    socket: WatcherSocket,
    owner: string | null,
    { endsAt, lease }: { endsAt: number | null; lease: StreamLease | null },
  ): Watcher {
    const optional = { ...(endsAt === null ? {} : { endsAt }), ...(lease === null ? {} : { lease }) };
    return new Watcher(socket, { owner, sent: 0, acknowledged: 0, ...optional });
  }

  /** The watcher of a socket that was accepted earlier; null if its attachment has another form. */
  static of(socket: WatcherSocket): Watcher | null {
    const attachment = attachmentSchema.safeParse(socket.deserializeAttachment());
    return attachment.success ? new Watcher(socket, attachment.data) : null;
  }

  get owner(): string | null {
    return this.#attachment.owner;
  }

  get lease(): StreamLease | null {
    return this.#attachment.lease ?? null;
  }

  /** Characters that may be sent before the next acknowledgement. */
  get remainingWindow(): number {
    const { sent, acknowledged } = this.#attachment;
    return watcherWindow - (sent - acknowledged);
  }

  /** Closes the socket if the credentials have expired. Returns whether they have. */
  closeIfExpired(now: number): boolean {
    if (now < (this.#attachment.endsAt ?? Number.POSITIVE_INFINITY)) return false;
    this.#close(expiredCloseCode, "token_expired");
    return true;
  }

  /** Sends a frame: the JSON of an object, to which `seq` is added. If it exceeds the window, the watcher is disconnected. */
  send(frame: string): void {
    if (this.remainingWindow < frame.length) {
      this.#close(tooSlowCloseCode, "too_slow");
      return;
    }
    const seq = this.#attachment.sent + frame.length;
    this.#attachment.sent = seq;
    try {
      this.#socket.send(`${frame.slice(0, -1)},"seq":${String(seq)}}`);
    } catch {
      // The client has disconnected; the close event follows.
      return;
    }
    this.#save();
  }

  /** Handles a message of the client. Acknowledgements are recorded, everything else is ignored. */
  receive(message: string): void {
    const seq = readAcknowledgement(message);
    if (seq === null) return;
    const { sent, acknowledged } = this.#attachment;
    // Ignores a number that was never sent, or that was acknowledged before.
    if (seq > sent || seq <= acknowledged) return;
    this.#attachment.acknowledged = seq;
    this.#save();
  }

  #save(): void {
    this.#socket.serializeAttachment(this.#attachment);
  }

  #close(code: number, reason: string): void {
    try {
      this.#socket.close(code, reason);
    } catch {
      // The client closed first.
    }
  }
}
