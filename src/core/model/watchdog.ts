// Ends a model stream that says nothing for too long. A transport timeout, not an execution limit: it is retried.

import type { Clock } from "../ports/clock.ts";
import type { Faults } from "../ports/faults.ts";
import type { ModelPart } from "../ports/model-port.ts";

/** The first part within this time (figures: Retry). */
export const firstPartMs = 120_000;

/** No longer than this between two parts. */
export const nextPartMs = 60_000;

/** Contract: passes every part on; on silence cancels the request and ends with a retryable `timeout`. */
export async function* watched(
  open: (signal: AbortSignal) => AsyncIterable<ModelPart>,
  signal: AbortSignal,
  { clock, faults }: { clock: Clock; faults: Faults },
): AsyncGenerator<ModelPart> {
  const silence = new AbortController();
  let limit = firstPartMs;
  let heard = clock.now();
  let expired = false;
  let disarm = (): void => {};
  // One timer that looks when the last part came: a timer for each part would cost more than the part.
  const arm = (ms: number): void => {
    disarm = clock.after(ms, () => {
      const left = limit - (clock.now() - heard) / 1000;
      if (left > 0) {
        arm(left);
        return;
      }
      expired = true;
      silence.abort(new Error("the model said nothing for too long"));
    });
  };
  arm(limit);
  try {
    const parts = open(AbortSignal.any([signal, silence.signal]));
    await faults.at("watchdog.first");
    for await (const part of parts) {
      await faults.at("watchdog.part");
      if (part.type === "error" && expired && part.failure.kind === "aborted") {
        const message = `The model sent nothing for ${limit / 1000} s.`;
        yield { ...part, failure: { ...part.failure, kind: "timeout", retryable: true, message } };
        return;
      }
      yield part;
      heard = clock.now();
      if (limit === nextPartMs) continue;
      limit = nextPartMs;
      disarm();
      arm(limit);
    }
  } finally {
    disarm();
  }
}
