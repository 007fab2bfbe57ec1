// Writes a subscription as a response of server-sent events (SSE). The body is pulled: while the client does not read, no frame is
// taken from the queue, nothing is acknowledged, and no heartbeats accumulate.

import type { Refusal } from "#contract/error.ts";
import { sseEventName } from "#contract/event.ts";
import { deferred } from "#lib/deferred.ts";

import type { Delivery, DeliverySource, Frame } from "./deliveries.ts";
import type { SubscriptionPorts } from "./thread-subscription.ts";

/** The approximate maximum number of characters of one write. Events are not split, so a write can be longer. */
const chunkLength = 64 * 1024;

/** Headers of every stream. */
export const sseHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-store, no-transform",
  "x-accel-buffering": "no",
  "x-content-type-options": "nosniff",
};

/** The format of a stream's text. */
export interface SseFormat {
  /** Text at the beginning of the stream. */
  opening: string;
  /** A promise delays the frames after it. */
  frame: (frame: Frame) => string | Promise<string>;
  refusal: (refusal: Refusal) => string;
}

/** The default format: the thread's events unchanged, each with its number. */
const eventFormat: SseFormat = { opening: "", frame: sseFrame, refusal: sseRefusal };

/** Options of the stream. */
export interface SseOptions {
  ports: Pick<SubscriptionPorts, "timers" | "now">;
  /** Aborted when the client has disconnected; not every disconnection cancels the body. */
  signal: AbortSignal;
  /** Returns the text of the heartbeats, and of the comment at the beginning. Default: "heartbeat". */
  comment?: () => string;
  /** Called with each frame after it was formatted. If it returns true, the stream ends after that frame. Default: false. */
  isLast?: (frame: Frame) => boolean;
  /** Whether to write `event: end` when the thread is idle. Default: false. */
  writeEnd?: boolean;
  /** Default: the thread's events as they are. */
  format?: SseFormat;
  /** Headers in addition to those of every stream. */
  headers?: Record<string, string>;
}

/** Returns the response. When its body ends or is cancelled, the subscription is closed. */
export function sseResponse(subscription: DeliverySource, options: SseOptions): Response {
  const headers = { ...sseHeaders, ...options.headers };
  return new Response(sseBody(subscription, options), { headers });
}

function sseBody(subscription: DeliverySource, options: SseOptions): ReadableStream<Uint8Array> {
  const { comment = () => "heartbeat", format = eventFormat } = options;
  const encoder = new TextEncoder();
  const silence = new Silence(options.ports);
  let opened = false;
  let written: { seq: number; bytes: number } | null = null;
  let onAbort: (() => void) | null = null;
  const finish = (): void => {
    if (onAbort !== null) options.signal.removeEventListener("abort", onAbort);
    silence.end();
    subscription.close();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        onAbort = () => {
          finish();
          controller.close();
        };
        options.signal.addEventListener("abort", onAbort);
        if (options.signal.aborted) onAbort();
      },
      async pull(controller) {
        // The platform calls `pull` when the client has read what was written before.
        if (written !== null) subscription.taken(written.seq, written.bytes);
        written = null;
        subscription.ping();
        if (!opened) {
          opened = true;
          controller.enqueue(encoder.encode(sseComment(comment()) + format.opening));
          return;
        }
        const deliveries = await nextDeliveries(subscription, silence);
        if (subscription.closed) return;
        const text = await writeOut(deliveries, options);
        if (subscription.closed) return;
        const bytes = encoder.encode(text.chunk === "" ? sseComment(comment()) : text.chunk);
        if (text.seq !== null) written = { seq: text.seq, bytes: bytes.length };
        if (!text.over || text.chunk !== "") controller.enqueue(bytes);
        if (text.over) {
          controller.close();
          finish();
        }
      },
      cancel: finish,
    },
    { highWaterMark: 0 },
  );
}

/** Takes the next deliveries. Returns none if a heartbeat is due, after a time without events. */
async function nextDeliveries(subscription: DeliverySource, silence: Silence): Promise<Delivery[]> {
  const waiting = subscription.take(chunkLength);
  if (waiting.length > 0) return waiting;
  await silence.wait(subscription);
  return subscription.take(chunkLength);
}

/** The text to write next. */
interface Text {
  chunk: string;
  /** Number of the last event in the text. */
  seq: number | null;
  over: boolean;
}

async function writeOut(deliveries: readonly Delivery[], options: SseOptions): Promise<Text> {
  const { format = eventFormat, isLast = () => false, writeEnd = false } = options;
  const text: Text = { chunk: "", seq: null, over: false };
  for (const delivery of deliveries) {
    switch (delivery.type) {
      case "frame": {
        const formatted = format.frame(delivery);
        text.chunk += typeof formatted === "string" ? formatted : await formatted;
        text.seq = delivery.seq;
        text.over = isLast(delivery);
        break;
      }
      case "end":
        if (writeEnd) text.chunk += sseEnd;
        text.over = true;
        break;
      case "refused":
        text.chunk += format.refusal(delivery.refusal);
        text.over = true;
        break;
      case "closed":
        text.over = true;
        break;
    }
    if (text.over) break;
  }
  return text;
}

/** An SSE frame with an event's number, name and JSON. */
function sseFrame({ seq, event, json }: Frame): string {
  return `id: ${String(seq)}\nevent: ${sseEventName(event)}\n${dataLines(json)}\n`;
}

/** An SSE frame without a number. */
export function sseFrameOf(event: string, json: string): string {
  return `event: ${event}\n${dataLines(json)}\n`;
}

/** The frame that ends a stream because the thread is idle. */
const sseEnd = "event: end\ndata: {}\n\n";

/** The frame that ends a stream with an error. It has no number, because it is not an event of the thread. */
export function sseRefusal({ code, message }: Refusal): string {
  return `event: ${sseEventName("error")}\n${dataLines(JSON.stringify({ type: "error", code, message }))}\n`;
}

/** A comment, which clients ignore. It keeps the connection open. */
function sseComment(text: string): string {
  return `: ${text}\n\n`;
}

/** A `data:` line cannot contain a line break, so text with line breaks becomes several lines. */
function dataLines(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => `data: ${line}\n`)
    .join("");
}

/** Milliseconds without an event after which a heartbeat is sent. */
const heartbeatMs = 15_000;

/**
 * The silence of one stream. One timer serves the whole stream: when it runs, it checks when the current wait began, because a timer for each
 * event would cost more than the event. Invariants: a wait ends when its deliveries are ready or after `heartbeatMs`; without a wait, the
 * timer is not set again.
 */
export class Silence {
  readonly #ports: Pick<SubscriptionPorts, "timers" | "now">;
  /** The time at which the current wait began, in microseconds. */
  #begin = 0;
  #endWait: (() => void) | null = null;
  #disarm: (() => void) | null = null;

  constructor(ports: Pick<SubscriptionPorts, "timers" | "now">) {
    this.#ports = ports;
  }

  /** Waits until deliveries are ready or a heartbeat is due. */
  async wait(source: DeliverySource): Promise<void> {
    const { promise, resolve } = deferred<void>();
    this.#begin = this.#ports.now();
    this.#endWait = resolve;
    if (this.#disarm === null) this.#arm(heartbeatMs);
    await Promise.race([source.ready(), promise]);
    this.#endWait = null;
  }

  /** Cancels the timer, at the end of the stream. */
  end(): void {
    this.#disarm?.();
  }

  #arm(milliseconds: number): void {
    this.#disarm = this.#ports.timers.after(milliseconds, () => {
      this.#disarm = null;
      const remaining = heartbeatMs - (this.#ports.now() - this.#begin) / 1000;
      if (remaining <= 0) this.#endWait?.();
      else if (this.#endWait !== null) this.#arm(remaining);
    });
  }
}
