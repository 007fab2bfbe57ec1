// One request to a provider that a program implements, in progress: its events and its end, in the order in which they arrive.

import { consoleLog } from "#lib/log-port.ts";

import type { CancellationToken } from "../cancellation-token.ts";
import { isWronglyAsync } from "../program-functions.ts";
import { ProviderError } from "./provider-error.ts";
import type { StreamConfig, StreamEvent, StreamProvider } from "./stream-provider.ts";

/** An event, or the end of a request: what the function of the provider resolved with, or what it threw. */
export type ProviderEntry = { event: StreamEvent } | { answer: unknown } | { thrown: unknown };

/** A request in progress. */
export interface RunningProvider {
  /** The entries since the last call. Waits for one, or for the cancellation. Never rejects. */
  next(): Promise<readonly ProviderEntry[]>;
}

/** Starts a request, and queues its events and its end. */
export function runProvider(
  provider: StreamProvider,
  {
    id,
    config,
    token,
    received,
  }: { id: string; config: () => StreamConfig; token: CancellationToken; received: () => void },
): RunningProvider {
  let entries: ProviderEntry[] = [];
  let wake: () => void = () => {};
  let isEnded = false;
  let isReported = false;
  const push = (entry: ProviderEntry): void => {
    entries.push(entry);
    wake();
  };
  const end = (entry: ProviderEntry): void => {
    isEnded = true;
    push(entry);
  };
  const tx = {
    send(event: StreamEvent): void {
      isWronglyAsync(event);
      // After a cancellation nothing reads the events.
      if (token.isCancelled() && !isEnded) return;
      if (isEnded) {
        // The answer is complete already, so a program learns of the mistake by the log alone.
        if (!isReported) consoleLog("warning", "event_after_answer", { provider: id });
        isReported = true;
        return;
      }
      received();
      push({ event });
    },
  };
  token.signal.addEventListener("abort", () => wake(), { once: true });
  // A function of a program may throw instead of returning a promise.
  const answering = token.isCancelled()
    ? Promise.reject(ProviderError.cancelled())
    : new Promise<unknown>((resolve) => resolve(provider.stream(config(), tx, token)));
  answering.then(
    (answer) => end({ answer }),
    (thrown: unknown) => end({ thrown }),
  );
  return {
    async next() {
      if (entries.length === 0 && !token.isCancelled()) await new Promise<void>((resolve) => (wake = resolve));
      const taken = entries;
      entries = [];
      return taken;
    },
  };
}
