// SSE ends here: a subscription written out as a response body. The body is pulled, so a client that does not read makes
// nothing move: no frame is taken, nothing is acknowledged, no heartbeat piles up.

import { createAcknowledger } from "#contract/acknowledger.ts";
import type { Refusal } from "#contract/error.ts";
import { pause } from "#lib/timers.ts";
import type { Timers } from "#lib/timers.ts";

import type { DeliverySource } from "./delivery-queue.ts";
import type { Delivery, Frame } from "./delivery.ts";
import { sseComment, sseEnd, sseFrame, sseRefusal } from "./sse-frame.ts";

/** Milliseconds of silence before a heartbeat. */
const heartbeatMs = 15_000;

/** Characters written at a time. */
const chunkLength = 64 * 1024;

/** What every stream is answered with. */
export const sseHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-store, no-transform",
  "x-accel-buffering": "no",
  "x-content-type-options": "nosniff",
};

/** How deliveries are written, where it is not as the thread's own frames. */
export interface SseFormat {
  /** Written first. */
  opening: string;
  frame: (frame: Frame) => string;
  refusal: (refusal: Refusal) => string;
  /** Asked behind every frame. */
  isLast: () => boolean;
}

/** How a stream is told. */
export interface SseOptions {
  timers: Timers;
  /** Fires when the client has left; not every way of leaving cancels the body. */
  signal: AbortSignal;
  /** The comment to begin and to keep alive with, given the frames written so far. */
  comment: () => string;
  /** Sees each frame before it is written; true makes it the last. */
  isLast: (frame: Frame) => boolean;
  /** Write `event: end` when rest is reached. */
  tellEnd: boolean;
  format?: SseFormat;
  /** Beside those of every stream. */
  headers?: Record<string, string>;
}

/** The response. */
export function sseResponse(subscription: DeliverySource, options: SseOptions): Response {
  const headers = { ...sseHeaders, ...options.headers };
  return new Response(sseBody(subscription, options), { headers });
}

function sseBody(subscription: DeliverySource, options: SseOptions): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const acknowledger = createAcknowledger(options.timers, (seq) => subscription.acknowledge(seq));
  let opened = false;
  let written: { seq: number; bytes: number } | null = null;
  let leave: (() => void) | null = null;
  const finish = (): void => {
    if (leave !== null) options.signal.removeEventListener("abort", leave);
    acknowledger.stop();
    subscription.close();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        leave = () => {
          finish();
          controller.close();
        };
        options.signal.addEventListener("abort", leave);
        if (options.signal.aborted) leave();
      },
      async pull(controller) {
        // Being asked for more means that what was written before has been taken.
        if (written !== null) acknowledger.taken(written.seq, written.bytes);
        written = null;
        subscription.ping();
        if (!opened) {
          opened = true;
          controller.enqueue(encoder.encode(sseComment(options.comment()) + (options.format?.opening ?? "")));
          return;
        }
        const deliveries = await nextDeliveries(subscription, options.timers);
        if (subscription.closed) return;
        const text = writeOut(deliveries, options);
        const bytes = encoder.encode(text.chunk === "" ? sseComment(options.comment()) : text.chunk);
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

/** What there is to write; nothing after a silence. */
async function nextDeliveries(subscription: DeliverySource, timers: Timers): Promise<Delivery[]> {
  const waiting = subscription.take(chunkLength);
  if (waiting.length > 0) return waiting;
  const silence = pause(timers, heartbeatMs);
  await Promise.race([subscription.ready(), silence.done]);
  silence.cancel();
  return subscription.take(chunkLength);
}

interface Text {
  chunk: string;
  /** Number of the last event in it. */
  seq: number | null;
  over: boolean;
}

function writeOut(deliveries: readonly Delivery[], options: SseOptions): Text {
  const { frame, refusal, isLast } = options.format ?? { frame: sseFrame, refusal: sseRefusal, isLast: () => false };
  const text: Text = { chunk: "", seq: null, over: false };
  for (const delivery of deliveries) {
    switch (delivery.type) {
      case "frame":
        text.chunk += frame(delivery);
        text.seq = delivery.seq;
        text.over = options.isLast(delivery) || isLast();
        break;
      case "end":
        if (options.tellEnd) text.chunk += sseEnd;
        text.over = true;
        break;
      case "refused":
        text.chunk += refusal(delivery.refusal);
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
