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
  let expired = false;
  const arm = () =>
    clock.after(limit, () => {
      expired = true;
      silence.abort(new Error("the model said nothing for too long"));
    });
  let disarm = arm();
  try {
    const parts = open(AbortSignal.any([signal, silence.signal]));
    await faults.at("watchdog.first");
    for await (const part of parts) {
      await faults.at("watchdog.part");
      disarm();
      if (part.type === "error" && expired && part.failure.kind === "aborted") {
        const message = `The model sent nothing for ${limit / 1000} s.`;
        yield { ...part, failure: { ...part.failure, kind: "timeout", retryable: true, message } };
        return;
      }
      yield part;
      limit = nextPartMs;
      disarm = arm();
    }
  } finally {
    disarm();
  }
}
