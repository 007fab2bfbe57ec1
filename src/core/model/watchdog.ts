// Cancels a model request whose connection sends nothing for too long. Every received byte counts, including hidden thinking and keep-alive
// comments. The cancelled request fails with a `timeout` that is retried. This time limit is not one of the run's limits.

import { followAbort } from "#lib/follow-abort.ts";
import type { ModelTimeouts } from "#spec/index.ts";

import type { Clock } from "../ports/clock.ts";
import type { Faults } from "../ports/faults.ts";
import type { ModelPart } from "../ports/model-port.ts";

/** How long a connection may send nothing, in milliseconds (docs/reference/figures.md: Retry). */
export interface SilenceLimits {
  /** The limit until the answer begins. */
  first: number;
  /** The limit after the answer has begun. */
  next: number;
}

const defaultLimits: SilenceLimits = { first: 120_000, next: 60_000 };

/** A model that hides its thinking may send nothing for minutes, also between two parts of its answer. */
const silentThinkingLimits: SilenceLimits = { first: 600_000, next: 600_000 };

/** The limits of a model request: those of its timeouts, else the default ones. */
export function silenceLimits(timeouts: ModelTimeouts, thinksInSilence: boolean): SilenceLimits {
  const { first, next } = thinksInSilence ? silentThinkingLimits : defaultLimits;
  return { first: timeouts.firstByteMs ?? first, next: timeouts.silenceMs ?? next };
}

/**
 * Contract: yields every part unchanged. If nothing arrives for too long, the request is cancelled and the stream ends with a retryable
 * `timeout`. `open` receives a function that has to be called whenever bytes arrive. `note` is the end of the failure's text.
 */
export async function* watched(
  open: (signal: AbortSignal, received: () => void) => AsyncIterable<ModelPart>,
  { signal, limits, note = "" }: { signal: AbortSignal; limits: SilenceLimits; note?: string | undefined },
  { clock, faults }: { clock: Clock; faults: Faults },
): AsyncGenerator<ModelPart> {
  const { controller, release } = followAbort(signal);
  let begun = false;
  let limit = limits.first;
  let last = clock.now();
  let expired = false;
  let disarm = (): void => {};
  const received = (): void => {
    last = clock.now();
  };
  // One timer checks when the last bytes arrived. A new timer for each piece would cost more than the piece. Until the answer begins, the
  // timer's time is not longer than the limit that applies from then on, so the timer need not be replaced.
  const arm = (ms: number): void => {
    disarm = clock.after(ms, () => {
      const remaining = limit - (clock.now() - last) / 1000;
      if (remaining > 0) {
        arm(begun ? remaining : Math.min(remaining, limits.next));
        return;
      }
      expired = true;
      controller.abort(new Error("the model sent nothing for too long"));
    });
  };
  arm(Math.min(limits.first, limits.next));
  try {
    const parts = open(controller.signal, received);
    await faults.at("watchdog.first");
    for await (const part of parts) {
      await faults.at("watchdog.part");
      if (part.type === "error" && expired && part.failure.kind === "aborted") {
        const message = `The model sent nothing for ${limit / 1000} s.${note}`;
        yield { ...part, failure: { ...part.failure, kind: "timeout", retryable: true, message } };
        return;
      }
      yield part;
      received();
      // A raw chunk may announce an answer long before the model's first thinking or text, so the answer has not begun yet.
      if (begun || part.type === "raw") continue;
      begun = true;
      limit = limits.next;
    }
  } finally {
    disarm();
    release();
  }
}
