// The one retry engine: how often, and how long to wait (figures: Retry).

import { backOffMs } from "#lib/back-off.ts";
import type { RetryOptions } from "#spec/index.ts";

import type { ModelFailure } from "../ports/model-port.ts";

/** Longest wait an object sits out in memory; a longer one is a rest (architecture §5.3). */
export const longestWaitMs = 10_000;

/** Back-off of one model request. */
export interface RetryPolicy {
  /** Attempts after the first. */
  retries: number;
  initialDelayMs: number;
  multiplier: number;
  maxDelayMs: number;
}

/** Retries 3, first wait 1,000 ms, doubled each time, at most 30,000 ms before jitter. */
export function retryPolicy(options: RetryOptions | undefined): RetryPolicy {
  return {
    retries: options?.maxRetries ?? 3,
    initialDelayMs: options?.initialDelayMs ?? 1000,
    multiplier: options?.multiplier ?? 2,
    maxDelayMs: options?.maxDelayMs ?? 30_000,
  };
}

/**
 * Milliseconds to wait before attempt `attempt + 1`, or null when this failure is not tried again. What the provider asks
 * for wins over our own back-off. `random` is in [0, 1) and spreads the wait by ±20 %.
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
