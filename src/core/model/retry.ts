// Decides whether a failed attempt is repeated, and after which delay (docs/reference/figures.md: Retry).

import { backOffMs } from "#lib/back-off.ts";
import type { RetryOptions } from "#spec/index.ts";

import type { ModelFailure } from "../ports/model-port.ts";

/** The longest delay for which a run waits in memory. For a longer delay the run is suspended (architecture §5.3). */
export const longestWaitMs = 10_000;

/** The attempts and delays of one model request. */
export interface RetryPolicy {
  /** Attempts after the first. */
  retries: number;
  initialDelayMs: number;
  multiplier: number;
  maxDelayMs: number;
}

/** The defaults: 3 retries; the first delay is 1,000 ms, each further one is doubled, at most 30,000 ms before jitter. */
export function retryPolicy(options: RetryOptions | undefined): RetryPolicy {
  return {
    retries: options?.maxRetries ?? 3,
    initialDelayMs: options?.initialDelayMs ?? 1000,
    multiplier: options?.multiplier ?? 2,
    maxDelayMs: options?.maxDelayMs ?? 30_000,
  };
}

/**
 * Milliseconds before attempt `attempt + 1`, or null if there is no further attempt. A delay that the provider requests is used in place
 * of the computed one. `random` is in [0, 1) and varies the delay by ±20 %.
 */
export function delayBeforeRetry(
  policy: RetryPolicy,
  failure: ModelFailure,
  { attempt, random }: { attempt: number; random: number },
): number | null {
  if (!failure.retryable || attempt > policy.retries) return null;
  if (failure.retry_after_ms !== null) return failure.retry_after_ms;
  const { initialDelayMs: first, maxDelayMs: longest, multiplier: growth } = policy;
  return backOffMs(attempt, { first, longest, growth }, 0.8 + 0.4 * random);
}
