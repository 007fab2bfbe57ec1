// Retry strategies of the package entry `threadhold/upp/http`: they decide when a failed request is repeated. All of them repeat only
// requests whose failure may be temporary.

import { backOffMs } from "#lib/back-off.ts";
import { systemClock } from "#lib/system-clock.ts";

import type { RetryStrategy } from "./model-reference.ts";
import { ErrorCode, refusal } from "./upp-error.ts";

const temporary: ReadonlySet<ErrorCode> = new Set([
  ErrorCode.RateLimited,
  ErrorCode.NetworkError,
  ErrorCode.Timeout,
  ErrorCode.ProviderError,
]);

/** The default of `maxAttempts`. */
const defaultAttempts = 3;

/** The options of `exponentialBackoff`. Delays are in milliseconds. */
export interface ExponentialBackoffOptions {
  /** The maximum number of repetitions of a request. Default 3. */
  maxAttempts?: number;
  /** The wait before the first repetition. Default 1,000. */
  initialDelay?: number;
  /** The longest wait. Default 30,000. */
  maxDelay?: number;
  /** Shortens each wait at random by up to a half, so that many clients do not repeat their requests at the same time. Default true. */
  jitter?: boolean;
}

/** Repeats a failed request. Each wait is twice as long as the one before. */
export function exponentialBackoff({
  maxAttempts = defaultAttempts,
  initialDelay = 1000,
  maxDelay = 30_000,
  jitter = true,
}: ExponentialBackoffOptions = {}): RetryStrategy {
  assertNumbers("exponentialBackoff", { maxAttempts, initialDelay, maxDelay });
  return {
    onRetry({ code }, attempt) {
      if (attempt > maxAttempts || !temporary.has(code)) return null;
      return backOffMs(attempt, { first: initialDelay, longest: maxDelay }, jitter ? 0.5 + 0.5 * Math.random() : 1);
    },
  };
}

/** The options of `linearBackoff`. The delay is in milliseconds. */
export interface LinearBackoffOptions {
  /** The maximum number of repetitions of a request. Default 3. */
  maxAttempts?: number;
  /** The wait before the first repetition, and the time by which each further wait is longer. Default 1,000. */
  delay?: number;
}

/** Repeats a failed request. Each wait is longer than the one before by `delay`. */
export function linearBackoff({
  maxAttempts = defaultAttempts,
  delay = 1000,
}: LinearBackoffOptions = {}): RetryStrategy {
  assertNumbers("linearBackoff", { maxAttempts, delay });
  return {
    onRetry: ({ code }, attempt) => (attempt > maxAttempts || !temporary.has(code) ? null : delay * attempt),
  };
}

/** Repeats no request. In the settings of an instance, it replaces the strategy of the provider. */
export function noRetry(): RetryStrategy {
  return { onRetry: () => null };
}

/** The options of `retryAfterStrategy`. The delay is in milliseconds. */
export interface RetryAfterOptions {
  /** The maximum number of repetitions of a request. Default 3. */
  maxAttempts?: number;
  /** The wait if the provider states no time. Default 5,000. */
  fallbackDelay?: number;
}

/** Repeats a request that exceeded the provider's rate limit, after the time that the provider states. */
export function retryAfterStrategy({
  maxAttempts = defaultAttempts,
  fallbackDelay = 5000,
}: RetryAfterOptions = {}): RetryStrategy {
  assertNumbers("retryAfterStrategy", { maxAttempts, fallbackDelay });
  return {
    onRetry({ code, retryAfterMs }, attempt) {
      if (attempt > maxAttempts || code !== ErrorCode.RateLimited) return null;
      return retryAfterMs ?? fallbackDelay;
    },
  };
}

/** The options of `tokenBucket`. */
export interface TokenBucketOptions {
  /** The maximum number of requests that are sent without a wait. Default 10. */
  capacity?: number;
  /** The tokens that are added each second. Default 1. */
  refillRate?: number;
  /** The maximum number of repetitions of a request that exceeded the provider's rate limit. Default 3. */
  maxAttempts?: number;
}

/** Limits the rate of requests: each request takes a token, and waits until there is one. Instances with the same strategy share its tokens. */
export function tokenBucket({
  capacity = 10,
  refillRate = 1,
  maxAttempts = defaultAttempts,
}: TokenBucketOptions = {}): RetryStrategy {
  assertNumbers("tokenBucket", { capacity, refillRate, maxAttempts });
  if (capacity < 1 || refillRate === 0 || refillRate === Infinity) {
    throw refusal("tokenBucket needs a capacity of at least 1 and a finite refillRate above 0.");
  }
  const tokenMs = 1000 / refillRate;
  // Negative while requests wait, because each of them has already taken its token.
  let tokens = capacity;
  let counted = systemClock.now();
  /** The times at which tokens of aborted requests can be used, in order. */
  let returned: number[] = [];
  return {
    beforeRequest() {
      const now = systemClock.now();
      const usable = returned.filter((time) => time <= now).length;
      returned = returned.slice(usable);
      tokens = Math.min(capacity, tokens + usable + (now - counted) / 1000 / tokenMs);
      counted = now;
      // A returned token can be used before those of the requests that wait.
      const next = tokens < 1 ? returned.shift() : undefined;
      if (next !== undefined) return (next - now) / 1000;
      tokens -= 1;
      return tokens >= 0 ? 0 : -tokens * tokenMs;
    },
    onAbort(remaining) {
      returned = [...returned, systemClock.now() + remaining * 1000].toSorted((one, other) => one - other);
    },
    onRetry({ code, retryAfterMs = tokenMs }, attempt) {
      return attempt > maxAttempts || code !== ErrorCode.RateLimited ? null : retryAfterMs;
    },
  };
}

function assertNumbers(strategy: string, options: Record<string, number>): void {
  for (const [name, value] of Object.entries(options)) {
    if (!(value >= 0))
      throw refusal(`The option ${name} of ${strategy} has to be a number of at least 0; it is ${String(value)}.`);
  }
}
