// A JSON response whose value is not ready yet. Until it is, spaces are sent, which JSON allows before a value. They keep the
// connection open, and a failed write shows that the client has left.

import { pause } from "#lib/timers.ts";
import type { Timers } from "#lib/timers.ts";

import { jsonAnswer, jsonHeaders } from "../answer/json-answer.ts";

/** Milliseconds between two spaces. */
const blankMs = 3000;

/**
 * Headers of a body that begins with spaces. A proxy that compresses it holds the spaces back, so that no write fails when the client
 * has left: miniflare does so for every client that accepts gzip. Proxies leave a body alone that names an encoding.
 */
const lateHeaders = { ...jsonHeaders, "cache-control": "no-store, no-transform", "content-encoding": "identity" };

/** Options of the wait. */
export interface LateJsonOptions {
  timers: Timers;
  /** Called when the client has left. */
  leave: () => void;
  /** Called each time the client takes a space. */
  taken: () => void;
}

/**
 * The response. A value that arrives or fails before the first space is due gives a usual response. Later the status has been sent
 * already, so a failure breaks the body off.
 */
export async function lateJson(value: Promise<object>, { timers, leave, taken }: LateJsonOptions): Promise<Response> {
  if (!(await isDue(value, timers))) return jsonAnswer(await value);
  const encoder = new TextEncoder();
  let begun = false;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (begun && !(await isDue(value, timers))) {
          controller.enqueue(encoder.encode(JSON.stringify(await value)));
          controller.close();
          return;
        }
        begun = true;
        taken();
        controller.enqueue(encoder.encode(" "));
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: lateHeaders });
}

/** Waits for the value, or until a space is due; true if the space is due first. */
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
