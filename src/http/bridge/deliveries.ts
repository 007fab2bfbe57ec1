// Receives what a thread's or feed's object sends to the Worker over a socket: events, the end, or a refusal. These deliveries are queued
// until the response takes them. The queue is bounded by the object, which sends only a limited amount before the Worker acknowledges. The
// Worker acknowledges an event after the client has read it.

import { createAcknowledger, type Acknowledger } from "#contract/acknowledger.ts";
import { tooSlowCloseCode, webSocketCloseCode } from "#contract/error.ts";
import type { Refusal } from "#contract/error.ts";
import type { EventOf } from "#contract/event.ts";
import { expiredCloseCode } from "#contract/stream-limits.ts";
import type { Timers } from "#lib/timers.ts";
import { parseOwnJson } from "#lib/untrusted/own-json.ts";

/** One event. `json` is the text that the object sent, unchanged. */
export interface Frame {
  type: "frame";
  seq: number;
  event: string;
  runId: string | null;
  json: string;
}

/**
 * `end`: the thread is idle and the subscription asked to end then. `refused`: the object ended the subscription with an error.
 * `closed`: the subscription ended without one.
 */
export type Delivery = Frame | { type: "end" } | { type: "refused"; refusal: Refusal } | { type: "closed" };

/** Parses a frame of the object; null for any other text. */
export function readFrame(text: string): Frame | { type: "end" } | null {
  let value: unknown;
  try {
    value = parseOwnJson(text);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null || !("type" in value)) return null;
  const { type: event } = value;
  if (event === "end") return { type: "end" };
  const seq = "seq" in value ? value.seq : null;
  if (typeof event !== "string" || typeof seq !== "number") return null;
  const runId = "run_id" in value && typeof value.run_id === "string" ? value.run_id : null;
  return { type: "frame", seq, event, runId, json: text };
}

/**
 * Whether an `awaiting_tool_execution` event lists calls. An empty list means that the run no longer waits for a client, for example
 * because the last open call of a child thread was answered.
 */
export function hasOpenCalls({ json }: Frame): boolean {
  return (parseOwnJson(json) as EventOf<"awaiting_tool_execution">).tool_calls.length > 0;
}

/** The refusals with a close code of their own, each with the message to use if the object sent none. */
const refusals: readonly [Refusal["code"], string][] = [
  ["unauthorized", "The credentials are no longer valid."],
  ["forbidden", "This is not allowed."],
  ["thread_not_found", "There is no such thread."],
  ["rate_limited", "Too many subscribers."],
];

/** The delivery for a close code; null if the connection was lost and can be opened again. */
export function deliveryOfClose(code: number, reason: string): Delivery | null {
  // After these codes the client itself subscribes again: with a new token if the old one expired, or from the last event that it received.
  if ([1000, expiredCloseCode, tooSlowCloseCode].includes(code)) return { type: "closed" };
  if (code < 4400 || code >= 4500) return null;
  const known = refusals.find(([refused]) => webSocketCloseCode(refused) === code);
  const [refused, message] = known ?? ["invalid_request", "The subscription was refused."];
  return { type: "refused", refusal: { code: refused, message: reason === "" ? message : reason } };
}

/**
 * An acknowledger that sends to the object over one connection. The next connection needs a new one, because the object counts the
 * unacknowledged text of each connection.
 */
export function createSocketAcknowledger(socket: WebSocket, timers: Timers): Acknowledger {
  return createAcknowledger(timers, (seq) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: "ack", seq }));
  });
}

/** The source of a response's events. */
export interface DeliverySource {
  /** Resolves when deliveries are available or the source is closed. */
  ready(): Promise<void>;
  /** Removes the first deliveries from the queue and returns them: about `most` characters in total. */
  take(most?: number): Delivery[];
  /** Reports that the client has read `bytes` bytes, up to and including event `seq`. The source acknowledges that to the object. */
  taken(seq: number, bytes: number): void;
  /** Reports to the object that the client is connected. Called whenever the client reads. */
  ping(): void;
  /** Closes the subscription. Nothing is delivered afterwards. */
  close(): void;
  readonly closed: boolean;
}

/** Deliveries in the order of their arrival. */
export class DeliveryQueue {
  readonly #waiting: Delivery[] = [];
  #wake = Promise.withResolvers<void>();
  #closed = false;

  get closed(): boolean {
    return this.#closed;
  }

  ready(): Promise<void> {
    return this.#wake.promise;
  }

  take(most = Number.POSITIVE_INFINITY): Delivery[] {
    let size = 0;
    let count = 0;
    while (count < this.#waiting.length && size < most) {
      const delivery = this.#waiting[count];
      size += delivery?.type === "frame" ? delivery.json.length : 0;
      count += 1;
    }
    const taken = this.#waiting.splice(0, count);
    if (this.#waiting.length === 0 && !this.#closed) this.#wake = Promise.withResolvers();
    return taken;
  }

  push(delivery: Delivery): void {
    if (this.#closed) return;
    this.#waiting.push(delivery);
    this.#wake.resolve();
  }

  /** Discards the queued deliveries. The client can resume from the last event that it received. */
  drop(): void {
    this.#waiting.length = 0;
  }

  /** Discards the queued deliveries and ends the queue. */
  close(): void {
    this.#closed = true;
    this.#waiting.length = 0;
    this.#wake.resolve();
  }
}

/** The minimum number of microseconds between two pings. */
const pauseMicros = 10_000_000;

/**
 * Sends pings to an object, to show that the client of a stream is connected. The platform responds to a ping without waking the object and
 * records the time. The object checks that time before it gives back the stream's lease, the user's right to one open stream.
 */
export class Pulse {
  readonly #now: () => number;
  #last = 0;

  /** `now` returns microseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Sends a ping, unless the previous one was sent too recently. */
  beat(socket: WebSocket | null): void {
    const at = this.#now();
    if (socket?.readyState !== WebSocket.OPEN || at - this.#last < pauseMicros) return;
    this.#last = at;
    socket.send("ping");
  }
}
