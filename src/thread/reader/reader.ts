// A connected reader: one subscription over one socket. It receives frames as long as it acknowledges them. Each reader has a window, a
// limit of unacknowledged characters. A frame is withheld if the reader already exceeds the limit. The reader then falls behind, and later
// receives the missed events from a replay (architecture §5.7).

import { tooSlowCloseCode, webSocketCloseCode } from "#contract/error.ts";
import type { PlainEvent } from "#contract/event.ts";
import { acknowledgeWindow, expiredCloseCode, unacknowledgedLimit } from "#contract/stream-limits.ts";

import type { ReplayFrom, ReplayPart } from "../replay/replay.ts";
import type { Frame } from "./fan-out.ts";
import type { Cursor, EventFilter } from "./reader-cursor.ts";
import type { SharedWindow } from "./shared-window.ts";

/** The part of a socket that a reader needs. */
export interface ReaderSocket {
  send(text: string): void;
  close(code: number, reason: string): void;
  serializeAttachment(value: unknown): void;
  deserializeAttachment(): unknown;
}

/** The frame that is sent before the server closes an ended subscription. */
const endFrame = JSON.stringify({ type: "end" });

export class Reader {
  readonly socket: ReaderSocket;
  /** Readers with the same filter have the same key and share a serialised frame. */
  readonly filterKey: string;
  readonly #cursor: Cursor;
  #inFlight: { seq: number; bytes: number }[] = [];
  #unacknowledged: number;
  #withheld: number;
  #behind = false;
  /** The events of the current replay part that were not sent yet. */
  #missed: PlainEvent[] = [];
  /** The characters of the current replay part (`#missedSize`), and how many of them count in the shared window (`#missedHeld`). */
  #missedSize = 0;
  #missedHeld = 0;
  #shared: SharedWindow<Reader> | null = null;
  /** Unacknowledged characters beyond the reader's own window, which count in the shared window. */
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
    // The attachment stores only the sum of the unacknowledged frames, so one entry represents all of them.
    if (unacknowledged > 0) this.#inFlight.push({ seq: prev, bytes: unacknowledged });
  }

  /**
   * Sets the window that all readers of the thread share. Characters that this reader holds beyond its own window count in the shared one.
   */
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

  /** Whether the subscription ends with an event: the reader follows one run, and the event ends or suspends that run. */
  endsAfter(event: PlainEvent): boolean {
    const { runId } = this.filter;
    if (runId === null || event.run_id !== runId) return false;
    return event.type === "run_end" || (event.type === "awaiting_tool_execution" && event.tool_calls.length > 0);
  }

  /** True while this reader has not received some events that it wants. It receives them later, with deltas merged. */
  get behind(): boolean {
    return this.#behind;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** True if the reader's own window has room for another frame. The shared window may be full nevertheless. */
  get hasRoom(): boolean {
    return this.#unacknowledged <= acknowledgeWindow;
  }

  /** True if the next frame exceeds the reader's own window and the shared window is full. */
  get waitsForOthers(): boolean {
    return this.#refused && this.hasRoom && this.#shared?.hasRoom === false;
  }

  /** Number of the oldest frame that the reader has not acknowledged; null if there is none, or if the reader is closed. */
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
   * Handles an acknowledgement of all events up to `seq`. Returns true if missed events can be sent now. A number that was never sent
   * closes the reader: it would acknowledge later events in advance.
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

  /** Marks the reader as behind, unless it has every event up to `last`. */
  mayHaveMissed(last: number): void {
    if (this.#cursor.cursor < last) this.#behind = true;
  }

  /** Whether every event up to a number was sent to the reader or excluded by its filter. Events are sent in the order of their numbers. */
  has(seq: number): boolean {
    return seq <= this.#cursor.cursor;
  }

  /** Where the next part of the replay begins. */
  get missedFrom(): ReplayFrom {
    return { after: Math.max(this.#cursor.cursor, this.#readUpTo), place: this.#place };
  }

  /** Takes a part of the replay and keeps its events, so that the part is not read again for each acknowledgement. */
  missed({ events, upTo, place, size }: ReplayPart): void {
    this.#missed = [...events];
    this.#missedSize = size;
    this.#place = place;
    this.#readUpTo = upTo ?? events.at(-1)?.seq ?? this.#readUpTo;
  }

  /** Yields the remaining events of the current replay part. Each event is removed when the next one is requested. */
  *takeMissed(): Generator<PlainEvent> {
    for (let next = this.#missed[0]; next !== undefined; next = this.#missed[0]) {
      yield next;
      this.#missed.shift();
    }
  }

  /** Continues sending after `stop`: the kept part of the replay no longer counts in the shared window, because it is sent now. */
  resume(): void {
    this.#shared?.hold(this.socket, -this.#missedHeld);
    this.#missedHeld = 0;
  }

  /** Stops sending. The current part of the replay is kept if the shared window has room for it; otherwise it is read again later. */
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

  /** Records that the reader has every event up to `last`. */
  caughtUp(last: number): void {
    this.#behind = false;
    this.#missed = [];
    // The kept position in the rows belongs to the replay that is over. A later replay begins further on and finds its own position.
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

  /** Closes the socket of a reader that acknowledges nothing, with `too_slow`. */
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
      // The other side closed the socket first.
    }
  }

  #put(text: string): void {
    try {
      this.socket.send(text);
    } catch {
      this.#closed = true;
    }
  }

  /** Updates the shared window with the characters that this reader holds beyond its own window. */
  #share(): void {
    const excess = Math.max(0, this.#unacknowledged - acknowledgeWindow);
    this.#shared?.hold(this.socket, excess - this.#excess);
    this.#excess = excess;
  }

  /** Counts a frame that was not sent. Closes a reader that never acknowledged anything if the count exceeds the limit. */
  withhold(bytes: number): void {
    if (this.hasRoom) return;
    this.#withheld += bytes;
    if (!this.#cursor.acknowledged && this.#withheld > unacknowledgedLimit) this.closeSilent();
  }
}
