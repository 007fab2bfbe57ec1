// A JSON response whose value is not ready yet. Until it is, spaces are sent, which JSON permits before a value. They keep the
// connection open, and a failed write shows that the client has disconnected.

import { pause } from "#lib/timers.ts";
import type { Timers } from "#lib/timers.ts";

import { jsonAnswer, jsonHeaders } from "../answer/json-answer.ts";

/** Milliseconds between two spaces. */
const blankMs = 3000;

/**
 * Headers of a body that begins with spaces. A proxy that compresses the body buffers the spaces, so that no write would fail after
 * the client has disconnected (miniflare does so for every client that accepts gzip). Proxies do not compress a body that names an
 * encoding.
 */
const lateHeaders = { ...jsonHeaders, "cache-control": "no-store, no-transform", "content-encoding": "identity" };

/** Dependencies of the wait. */
export interface LateJsonOptions {
  timers: Timers;
  /** Called when the client has disconnected. */
  onDisconnect: () => void;
  /** Called each time the client reads a space. */
  onRead: () => void;
}

/**
 * Returns the response. If the value is ready before the first space is due, the response is an ordinary one. If it fails before then, the
 * promise rejects with its error. Later the status has been sent already, so a failure breaks off the body.
 */
export async function lateJson(
  value: Promise<object>,
  { timers, onDisconnect, onRead }: LateJsonOptions,
): Promise<Response> {
  if (!(await isDue(value, timers))) return jsonAnswer(await value);
  const encoder = new TextEncoder();
  let started = false;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (started && !(await isDue(value, timers))) {
          controller.enqueue(encoder.encode(JSON.stringify(await value)));
          controller.close();
          return;
        }
        started = true;
        onRead();
        controller.enqueue(encoder.encode(" "));
      },
      cancel: onDisconnect,
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: lateHeaders });
}

/** Waits for the value or until a space is due. Returns whether the space is due first. */
async function isDue(value: Promise<object>, timers: Timers): Promise<boolean> {
  const silence = pause(timers, blankMs);
  const settled = value.then(
    () => false,
    () => false,
  );
  const due = await Promise.race([settled, silence.done.then(() => true)]);
  silence.cancel();
  return due;
}
