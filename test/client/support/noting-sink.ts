// The calls that a carrier made to its sink, in order.

import type { CarrierSink } from "#client/follow/carrier.ts";
import { deferred } from "#lib/deferred.ts";

/** A sink that a test reads. A number in `emitted` is the number of an event. */
export interface NotingSink extends CarrierSink {
  readonly emitted: (string | number)[];
  /** The error with which the connection ended. */
  readonly end: Promise<Error>;
  readonly delayMs: number;
  /** Resolves once `emitted` contains `what`. */
  until: (what: string | number) => Promise<void>;
}

/** Creates an empty sink. */
export function notingSink(): NotingSink {
  const emitted: (string | number)[] = [];
  const end = deferred<Error>();
  const waiting = new Set<() => void>();
  let delay = 0;
  const note = (what: string | number): void => {
    emitted.push(what);
    for (const look of waiting) look();
  };
  return {
    emitted,
    end: end.promise,
    get delayMs() {
      return delay;
    },
    until: (what) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!emitted.includes(what)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    opened: () => note("opened"),
    event: ({ seq }) => note(seq),
    lost: (error, delayMs) => {
      delay = delayMs;
      note("lost");
      end.resolve(error);
    },
    refused: (error) => {
      note("refused");
      end.resolve(error);
    },
  };
}
