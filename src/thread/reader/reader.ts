// A connected reader: one subscription over one socket. It receives frames as long as it acknowledges them, and is behind from the
// first frame that does not fit into its window. It then receives the missed events later, from a replay (architecture §5.7).

import { tooSlowCloseCode, webSocketCloseCode } from "#contract/error.ts";
import type { PlainEvent } from "#contract/event.ts";
import { acknowledgeWindow, expiredCloseCode, unacknowledgedLimit } from "#contract/stream-limits.ts";

import type { ReplayFrom } from "../replay/replay-start.ts";
import type { ReplayPart } from "../replay/replay.ts";
import type { Frame } from "./fan-out.ts";
import type { SharedWindow } from "./shared-window.ts";
import type { Cursor, EventFilter } from "./subscribe.ts";

/** The part of a socket that a reader needs. */
export interface ReaderSocket {
  send(text: string): void;
  close(code: number, reason: string): void;
  serializeAttachment(value: unknown): void;
  deserializeAttachment(): unknown;
}

/** The frame before the close of a subscription that ends. */
const endFrame = JSON.stringify({ type: "end" });

export class Reader {
  readonly socket: ReaderSocket;
  /** Equal for readers with equal filters: they share a serialised frame. */
  readonly filterKey: string;
  readonly #cursor: Cursor;
  #inFlight: { seq: number; bytes: number }[] = [];
  #unacknowledged: number;
  #withheld: number;
  #behind = false;
  /** The events of the current part of a replay that were not sent yet. */
  #missed: PlainEvent[] = [];
  /** Characters of that part, and those of them that the shared window counts. */
  #missedSize = 0;
  #missedHeld = 0;
  #shared: SharedWindow<Reader> | null = null;
  /** Characters beyond its own window, which the shared window counts. */
  #excess = 0;
  /** True if the last frame was refused because the shared window was full. */
  #refused = false;
  #readUpTo = 0;
  #place: ReplayFrom["place"] = null;
  #closed = false;

  constructor(socket: ReaderSocket, cursor: Cursor) {
    this.socket = socket;
    this.#cursor = cursor;
    const { filter, prev, unacknowledged = 0, withheld = 0 } = cursor;
    this.filterKey = JSON.stringify([filter.types, filter.depth, filter.includeSilent, filter.runId]);
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

  get filter(): EventFilter {
    return this.#cursor.filter;
  }

  /** Whether the filter includes an event. */
  wants(event: PlainEvent): boolean {
    const { types, depth, includeSilent, runId } = this.filter;
    if (runId !== null && event.run_id !== runId) return false;
    if (types !== null && !types.includes(event.type)) return false;
    if (depth !== null && (event.depth ?? 0) > depth) return false;
    return includeSilent || event.silent !== true;
  }

  /** Whether the subscription ends with an event: the one that ends or suspends the run that the reader follows. */
  endsAfter(event: PlainEvent): boolean {
    const { runId } = this.filter;
    if (runId === null || event.run_id !== runId) return false;
    return event.type === "run_end" || (event.type === "awaiting_tool_execution" && event.tool_calls.length > 0);
  }

  /** True while events that this reader wants were not sent to it. It receives them later, deltas merged. */
  get behind(): boolean {
    return this.#behind;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** True if its window has room for another frame. The window that it shares with others may have none. */
  get hasRoom(): boolean {
    return this.#unacknowledged <= acknowledgeWindow;
  }

  /** True if the next frame exceeds its own window and the shared window is full. */
  get waitsForOthers(): boolean {
    return this.#refused && this.hasRoom && this.#shared?.hasRoom === false;
  }

  /** Number of the oldest frame that it has not acknowledged; null if there is none, or if it is closed. */
  get oldestUnacknowledged(): number | null {
    return this.#closed ? null : (this.#inFlight[0]?.seq ?? null);
  }

  /** True while the snapshot that begins the subscription is still to be sent. */
  get wantsSnapshot(): boolean {
    return this.#cursor.wantsSnapshot === true;
  }

  set wantsSnapshot(wants: boolean) {
    this.#cursor.wantsSnapshot = wants;
  }

  /** Sends one event. Returns false if a window is full and the event was not sent. */
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

  /** Records that the filter excluded all events up to a number. */
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

  /** The reader is behind, unless it has every event up to `last`. */
  mayHaveMissed(last: number): void {
    if (this.#cursor.cursor < last) this.#behind = true;
  }

  /** Whether every event up to a number was sent to it or excluded by its filter. Events are sent in the order of their numbers. */
  has(seq: number): boolean {
    return seq <= this.#cursor.cursor;
  }

  /** Where the next part of the replay begins. */
  get missedFrom(): ReplayFrom {
    return { after: Math.max(this.#cursor.cursor, this.#readUpTo), place: this.#place };
  }

  /** Receives a part of the replay. It is kept here, so that it is not read again for each acknowledgement. */
  missed({ events, upTo, place, size }: ReplayPart): void {
    this.#missed = [...events];
    this.#missedSize = size;
    this.#place = place;
    this.#readUpTo = upTo ?? events.at(-1)?.seq ?? this.#readUpTo;
  }

  /** The remaining events of that part. An event is removed when the next one is requested. */
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

  /** The reader has everything up to `last`. */
  caughtUp(last: number): void {
    this.#behind = false;
    this.#missed = [];
    // Events that it misses later are after this place.
    this.#place = null;
    this.#cursor.cursor = Math.max(this.#cursor.cursor, last);
  }

  /** Writes the cursor to the socket's attachment, which outlasts hibernation. */
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

  /** Closes the socket and returns true if its credentials have expired. */
  endedAt(now: number): boolean {
    if (now < (this.#cursor.endsAt ?? Number.POSITIVE_INFINITY)) return false;
    this.close(expiredCloseCode, "token_expired");
    return true;
  }

  /** Sends the end frame and closes the socket. */
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

  /** Counts a frame that was not sent. Closes a reader that never acknowledged anything once the count exceeds the limit. */
  withhold(bytes: number): void {
    if (this.hasRoom) return;
    this.#withheld += bytes;
    if (!this.#cursor.acknowledged && this.#withheld > unacknowledgedLimit) this.closeSilent();
  }
}
