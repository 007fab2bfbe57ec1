// Writes a subscription as a response of server-sent events. The body is pulled: while the client does not read, no frame is taken
// from the queue, nothing is acknowledged, and no heartbeats accumulate.

import { createAcknowledger } from "#contract/acknowledger.ts";
import type { Refusal } from "#contract/error.ts";
import { pause } from "#lib/timers.ts";
import type { Timers } from "#lib/timers.ts";

import type { DeliverySource } from "./delivery-queue.ts";
import type { Delivery, Frame } from "./delivery.ts";
import { sseComment, sseEnd, sseFrame, sseRefusal } from "./sse-frame.ts";

/** Milliseconds without an event after which a heartbeat is sent. */
const heartbeatMs = 15_000;

/** Maximal characters of one write. */
const chunkLength = 64 * 1024;

/** Headers of every stream. */
export const sseHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-store, no-transform",
  "x-accel-buffering": "no",
  "x-content-type-options": "nosniff",
};

/** A format other than the thread's own frames. */
export interface SseFormat {
  /** Text at the beginning of the stream. */
  opening: string;
  frame: (frame: Frame) => string;
  refusal: (refusal: Refusal) => string;
  /** Called after every frame; true ends the stream. */
  isLast: () => boolean;
}

/** Options of the stream. */
export interface SseOptions {
  timers: Timers;
  /** Aborted when the client has disconnected; not every disconnection cancels the body. */
  signal: AbortSignal;
  /** Text of the first comment and of the heartbeats. */
  comment: () => string;
  /** Called with each frame before it is written; true makes it the last one. */
  isLast: (frame: Frame) => boolean;
  /** Whether to write `event: end` when the thread is idle. */
  writeEnd: boolean;
  format?: SseFormat;
  /** Headers in addition to those of every stream. */
  headers?: Record<string, string>;
}

/** Returns the response. */
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
        // A call of `pull` means that the client has read what was written before.
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

/** Takes the next deliveries; none after a time without events, when a heartbeat is due. */
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
        if (options.writeEnd) text.chunk += sseEnd;
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
