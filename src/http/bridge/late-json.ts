// JSON that a client waits for. While it is not there, blanks are sent, which JSON allows before a value: they keep the connection
// open, and without them nobody would notice that the client has left.

import { pause } from "#lib/timers.ts";
import type { Timers } from "#lib/timers.ts";

import { jsonAnswer } from "../answer/json-answer.ts";

/** Milliseconds between two blanks. */
export const blankMs = 3000;

/** How it is waited for. */
export interface LateJsonOptions {
  timers: Timers;
  /** Called when the client has left. */
  leave: () => void;
  /** Called whenever the client takes a blank. */
  taken: () => void;
}

/**
 * The answer. A value that comes, or fails, before the first blank is due is answered like any other; later the status has been sent,
 * so that a failure breaks the body off.
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
  return new Response(body, { headers: jsonAnswer({}).headers });
}

/** Waits for the value, or until a blank is due; true when that came first. */
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
