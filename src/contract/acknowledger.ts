// Acknowledges received events to the object: the first one at once, the others after 64 KiB or after a second, whichever is first. It
// acknowledges only what the reader has processed, because the limit of unacknowledged data bounds the memory of both ends.

import type { Timers } from "#lib/timers.ts";

import { acknowledgeBytes, acknowledgeIntervalMs } from "./stream-limits.ts";

/** Collects what was received and sends acknowledgements. */
export interface Acknowledger {
  /** The reader received `bytes` bytes, up to and including event `seq`. */
  taken(seq: number, bytes: number): void;
  stop(): void;
}

/** An acknowledger for one connection. `send` sends the acknowledgement of every event up to `seq`. */
export function createAcknowledger(timers: Timers, send: (seq: number) => void): Acknowledger {
  // The first event is acknowledged at once, because a thread closes a reader that has acknowledged nothing by the time 4 MiB were withheld.
  let bytes = acknowledgeBytes;
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
