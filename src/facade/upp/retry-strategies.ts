// The package entry `threadhold/upp/http`, retry strategies: when a failed request is repeated. All of them repeat only requests whose
// failure may be temporary.

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

/** How often a request is repeated if the options do not state it. */
const defaultAttempts = 3;

/** Repeats a request after waits that double. Options in milliseconds. */
export interface ExponentialBackoffOptions {
  /** How often a request is repeated. Default 3. */
  maxAttempts?: number;
  /** The wait before the first repetition. Default 1,000. */
  initialDelay?: number;
  /** The longest wait. Default 30,000. */
  maxDelay?: number;
  /** Shortens each wait by a random share of up to a half, so that clients do not repeat at the same time. Default true. */
  jitter?: boolean;
}

/** Repeats a request after waits that double. */
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

/** Options in milliseconds. */
export interface LinearBackoffOptions {
  /** How often a request is repeated. Default 3. */
  maxAttempts?: number;
  /** The wait before the first repetition, and by how much each further wait is longer. Default 1,000. */
  delay?: number;
}

/** Repeats a request after waits that grow by the same time. */
export function linearBackoff({
  maxAttempts = defaultAttempts,
  delay = 1000,
}: LinearBackoffOptions = {}): RetryStrategy {
  assertNumbers("linearBackoff", { maxAttempts, delay });
  return {
    onRetry: ({ code }, attempt) => (attempt > maxAttempts || !temporary.has(code) ? null : delay * attempt),
  };
}

/** Repeats no request, as without a strategy. It replaces a provider's strategy in the settings of one instance. */
export function noRetry(): RetryStrategy {
  return { onRetry: () => null };
}

/** Options in milliseconds. */
export interface RetryAfterOptions {
  /** How often a request is repeated. Default 3. */
  maxAttempts?: number;
  /** The wait if the provider states none. Default 5,000. */
  fallbackDelay?: number;
}

/** Repeats a request that exceeded a rate limit after the time that the provider states. */
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

/** Options of a token bucket. */
export interface TokenBucketOptions {
  /** The most requests that are sent without a wait. Default 10. */
  capacity?: number;
  /** Requests per second in the long run. Default 1. */
  refillRate?: number;
  /** How often a request that exceeded the provider's rate limit is repeated. Default 3. */
  maxAttempts?: number;
}

/** Keeps a rate: each request takes a token, and waits until there is one. Instances that share the strategy share the rate. */
export function tokenBucket({
  capacity = 10,
  refillRate = 1,
  maxAttempts = defaultAttempts,
}: TokenBucketOptions = {}): RetryStrategy {
  assertNumbers("tokenBucket", { capacity, refillRate, maxAttempts });
  if (capacity < 1 || refillRate === 0) {
    throw refusal("tokenBucket needs a capacity of at least 1 and a refillRate above 0.");
  }
  const tokenMs = 1000 / refillRate;
  // Below 0 by the tokens that waiting requests have taken in advance.
  let tokens = capacity;
  let counted = systemClock.now();
  return {
    beforeRequest() {
      const now = systemClock.now();
      tokens = Math.min(capacity, tokens + (now - counted) / 1000 / tokenMs) - 1;
      counted = now;
      return tokens >= 0 ? 0 : -tokens * tokenMs;
    },
    onRetry({ code, retryAfterMs = tokenMs }, attempt) {
      return attempt > maxAttempts || code !== ErrorCode.RateLimited ? null : retryAfterMs;
    },
  };
}

function assertNumbers(strategy: string, options: Record<string, number>): void {
  for (const [name, value] of Object.entries(options)) {
    if (!(value >= 0)) throw refusal(`The option ${name} of ${strategy} is a number from 0; this is ${String(value)}.`);
  }
}
