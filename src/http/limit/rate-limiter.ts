// Limits how often something may happen for each key. The token bucket counts in the memory of one isolate, so a caller whose
// requests reach several isolates has several buckets. A deployment that needs one count binds a rate limiter of the platform.

/** Takes one token of a key. Contract: never rejects. */
export interface RateLimiter {
  /** Resolves to null if a token was taken, else to the milliseconds until one may be available. */
  take(key: string): Promise<number | null>;
}

/** A limiter that can be charged for past events. A charge beyond the available tokens becomes a debt. */
export interface ChargedLimiter extends RateLimiter {
  charge(key: string, count: number): void;
}

/** A limiter that never refuses. */
export const unlimited: ChargedLimiter = { take: () => Promise.resolve(null), charge: () => {} };

const keyLimit = 10_000;
const minuteMicros = 60_000_000;

/** Creates a bucket for each key, with `perMinute` tokens that refill evenly. `now` returns microseconds. */
export function createTokenBuckets(perMinute: number, now: () => number): ChargedLimiter {
  const buckets = new Map<string, { tokens: number; at: number }>();
  const microsPerToken = minuteMicros / perMinute;
  /** The current tokens of a key. */
  const tokensOf = (key: string, at: number): number => {
    const bucket = buckets.get(key);
    return bucket === undefined ? perMinute : Math.min(perMinute, bucket.tokens + (at - bucket.at) / microsPerToken);
  };
  const keep = (key: string, tokens: number, at: number): void => {
    buckets.delete(key);
    buckets.set(key, { tokens, at });
    const oldest = buckets.size > keyLimit ? buckets.keys().next().value : undefined;
    if (oldest !== undefined) buckets.delete(oldest);
  };
  return {
    take(key) {
      const at = now();
      const tokens = tokensOf(key, at);
      const granted = tokens >= 1;
      keep(key, granted ? tokens - 1 : tokens, at);
      return Promise.resolve(granted ? null : Math.ceil(((1 - tokens) * microsPerToken) / 1000));
    },
    charge(key, count) {
      const at = now();
      keep(key, tokensOf(key, at) - count, at);
    },
  };
}
