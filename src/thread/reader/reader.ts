// A connected reader: sends it frames as long as it keeps up, and stops where it does not (architecture §5.7).

import { tooSlowCloseCode, webSocketCloseCode } from "#contract/error.ts";
import type { PlainEvent } from "#contract/event.ts";
import { acknowledgeWindow, expiredCloseCode, unacknowledgedLimit } from "#contract/subscription.ts";

import type { ReplayFrom, ReplayPart } from "../replay/replay.ts";
import type { Frame } from "./frame.ts";
import type { SharedWindow } from "./shared-window.ts";
import { cursorSchema, wishKey } from "./subscription.ts";
import type { Cursor, Wish } from "./subscription.ts";

/** The part of a socket that a reader needs. */
export interface ReaderSocket {
  send(text: string): void;
  close(code: number, reason: string): void;
  serializeAttachment(value: unknown): void;
  deserializeAttachment(): unknown;
}

/** The frame that says nothing more comes. */
const endFrame = JSON.stringify({ type: "end" });

/** One subscription over one socket. */
export class Reader {
  readonly socket: ReaderSocket;
  /** Equal for readers that want the same: they share one serialised frame. */
  readonly wishKey: string;
  readonly #cursor: Cursor;
  #inFlight: { seq: number; bytes: number }[] = [];
  #unacknowledged: number;
  #withheld: number;
  #behind = false;
  #missed: PlainEvent[] = [];
  /** Characters of the part that `#missed` came from, and those that the shared window counts of it. */
  #missedSize = 0;
  #missedHeld = 0;
  #shared: SharedWindow<Reader> | null = null;
  /** Characters beyond its own window, which the shared window counts. */
  #excess = 0;
  /** The last frame was refused since the shared window was full. */
  #refused = false;
  #readUpTo = 0;
  #place: ReplayFrom["place"] = null;
  #closed = false;

  constructor(socket: ReaderSocket, cursor: Cursor) {
    this.socket = socket;
    this.#cursor = cursor;
    this.wishKey = wishKey(cursor.wish);
    const { prev, unacknowledged = 0, withheld = 0 } = cursor;
    this.#unacknowledged = unacknowledged;
    this.#withheld = withheld;
    // The attachment does not list the frames: one entry stands for all of them.
    if (unacknowledged > 0) this.#inFlight.push({ seq: prev, bytes: unacknowledged });
  }

  /** Counts what this reader holds in the window of all readers of its thread. */
  share(window: SharedWindow<Reader>): void {
    this.#shared = window;
    this.#share();
  }

  /** The reader of a socket that was accepted earlier; null when its attachment is not ours. */
  static restore(socket: ReaderSocket): Reader | null {
    const cursor = cursorSchema.safeParse(socket.deserializeAttachment());
    return cursor.success ? new Reader(socket, cursor.data) : null;
  }

  get wish(): Wish {
    return this.#cursor.wish;
  }

  /** Everything up to here was sent, or was not wanted. */
  get cursor(): number {
    return this.#cursor.cursor;
  }

  /** It stopped taking frames: what it missed is given later, merged. */
  get behind(): boolean {
    return this.#behind;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Its window has room for another frame. The window that it shares with others may have none. */
  get hasRoom(): boolean {
    return this.#unacknowledged <= acknowledgeWindow;
  }

  /** The next frame goes beyond its own window, and the shared one is full. */
  get waitsForOthers(): boolean {
    return this.#refused && this.hasRoom && this.#shared?.hasRoom === false;
  }

  /** Number of the oldest frame that it has not acknowledged; null where there is none, or where it is closed. */
  get oldestUnacknowledged(): number | null {
    return this.#closed ? null : (this.#inFlight[0]?.seq ?? null);
  }

  /** The snapshot that begins the subscription is still to be sent. */
  get wantsSnapshot(): boolean {
    return this.#cursor.wantsSnapshot === true;
  }

  set wantsSnapshot(wants: boolean) {
    this.#cursor.wantsSnapshot = wants;
  }

  /** Sends one event. False when the window is full: the event was not taken. */
  send(seq: number, frame: Frame): boolean {
    if (this.#closed) return true;
    this.#refused = this.#unacknowledged + frame.size > acknowledgeWindow && this.#shared?.hasRoom === false;
    if (!this.hasRoom || this.#refused) {
      this.#behind = true;
      this.withhold(frame.size);
      return false;
    }
    const text = frame.after(this.#cursor.prev);
    this.#put(text);
    this.#unacknowledged += text.length;
    this.#share();
    this.#inFlight.push({ seq, bytes: text.length });
    this.#cursor.prev = seq;
    this.#cursor.cursor = Math.max(this.#cursor.cursor, seq);
    return true;
  }

  /** The reader did not want what came up to here. */
  skipTo(seq: number): void {
    if (!this.#behind) this.#cursor.cursor = Math.max(this.#cursor.cursor, seq);
  }

  /**
   * The reader has received everything up to `seq`. Returns true if it can be sent what it missed. A number that was never sent
   * closes it: such a number would acknowledge all later events in advance.
   */
  acknowledge(seq: number): boolean {
    if (seq > this.#cursor.prev) {
      this.close(webSocketCloseCode("invalid_request"), "acknowledged_unsent");
      return false;
    }
    this.#cursor.acknowledged = true;
    this.#withheld = 0;
    while (this.#inFlight[0] !== undefined && this.#inFlight[0].seq <= seq) {
      const { bytes } = this.#inFlight[0];
      this.#inFlight.shift();
      this.#unacknowledged -= bytes;
    }
    this.#share();
    return this.#behind && this.hasRoom;
  }

  /** Events were told that this reader may not have: it is behind until it is found to have them. */
  mayHaveMissed(last: number): void {
    if (this.#cursor.cursor < last) this.#behind = true;
  }

  /** It was told everything up to here, as far as it wants it. Events are told in the order of their numbers. */
  has(seq: number): boolean {
    return seq <= this.#cursor.cursor;
  }

  /** Where the next part of what it missed begins. */
  get missedFrom(): ReplayFrom {
    return { after: Math.max(this.#cursor.cursor, this.#readUpTo), place: this.#place };
  }

  /** Takes a part of what it missed; it is kept here, so that it is not read again for each acknowledgement. */
  missed({ events, upTo, place, size }: ReplayPart): void {
    this.#missed = [...events];
    this.#missedSize = size;
    this.#place = place;
    this.#readUpTo = upTo ?? events.at(-1)?.seq ?? this.#readUpTo;
  }

  /** What is left of that part, one by one; what was not sent stays. */
  *takeMissed(): Generator<PlainEvent> {
    for (let next = this.#missed[0]; next !== undefined; next = this.#missed[0]) {
      yield next;
      this.#missed.shift();
    }
  }

  /** Sending continues: the kept part of a replay is about to be sent. */
  resume(): void {
    this.#shared?.hold(this.socket, -this.#missedHeld);
    this.#missedHeld = 0;
  }

  /** Sending stops. The current part of a replay is kept if the shared window has room for it; otherwise it is read again later. */
  stop(): void {
    if (this.#shared === null || this.#missed.length === 0) return;
    if (this.#shared.canKeep(this.#missedSize)) {
      this.#missedHeld = this.#missedSize;
      this.#shared.hold(this.socket, this.#missedHeld);
      return;
    }
    this.#missed = [];
    this.#readUpTo = 0;
    this.#place = null;
  }

  /** It has everything up to `last`. */
  caughtUp(last: number): void {
    this.#behind = false;
    this.#missed = [];
    // What it misses later is nearer to the end than to this place.
    this.#place = null;
    this.#cursor.cursor = Math.max(this.#cursor.cursor, last);
  }

  /** Writes the cursor where hibernation keeps it. */
  save(): void {
    if (this.#closed) return;
    this.#cursor.unacknowledged = this.#unacknowledged;
    this.#cursor.withheld = this.#withheld;
    this.socket.serializeAttachment(this.#cursor);
  }

  /** Closes the socket with `too_slow`. */
  closeSilent(): void {
    this.close(tooSlowCloseCode, "too_slow");
  }

  /** Closes the socket if its credentials have expired, and returns true then. */
  endedAt(now: number): boolean {
    if (now < (this.#cursor.endsAt ?? Number.POSITIVE_INFINITY)) return false;
    this.close(expiredCloseCode, "token_expired");
    return true;
  }

  /** Tells that nothing more comes, and closes. */
  end(): void {
    if (this.#closed) return;
    this.#put(endFrame);
    this.close(1000, "end");
  }

  close(code: number, reason: string): void {
    if (this.#closed) return;
    this.#closed = true;
    try {
      this.socket.close(code, reason);
    } catch {
      // The other side closed first.
    }
  }

  #put(text: string): void {
    try {
      this.socket.send(text);
    } catch {
      this.#closed = true;
    }
  }

  /** Reports to the shared window what is held beyond its own. */
  #share(): void {
    const excess = Math.max(0, this.#unacknowledged - acknowledgeWindow);
    this.#shared?.hold(this.socket, excess - this.#excess);
    this.#excess = excess;
  }

  /** Something was not sent. One that never acknowledged anything is let go at last. */
  withhold(bytes: number): void {
    if (this.hasRoom) return;
    this.#withheld += bytes;
    if (!this.#cursor.acknowledged && this.#withheld > unacknowledgedLimit) this.closeSilent();
  }
}
