// Tells the object how far the reader is: after 64 KiB at the latest, after a second at the latest, and only about what
// the reader really took, because what is unacknowledged is what bounds the memory of both ends.

import type { Timers } from "#lib/timers.ts";

import { acknowledgeBytes, acknowledgeIntervalMs } from "./stream-limits.ts";

/** Collects what was taken and sends acknowledgements. */
export interface Acknowledger {
  /** The reader took `bytes` bytes, up to and with event `seq`. */
  taken(seq: number, bytes: number): void;
  stop(): void;
}

/** An acknowledger that sends through `send`. */
export function createAcknowledger(timers: Timers, send: (seq: number) => void): Acknowledger {
  let bytes = 0;
  let last = 0;
  let callOff: (() => void) | null = null;
  const stop = (): void => {
    callOff?.();
    callOff = null;
  };
  const flush = (): void => {
    stop();
    bytes = 0;
    send(last);
  };
  return {
    taken(seq, count) {
      last = Math.max(last, seq);
      bytes += count;
      if (bytes >= acknowledgeBytes) flush();
      else callOff ??= timers.after(acknowledgeIntervalMs, flush);
    },
    stop,
  };
}
