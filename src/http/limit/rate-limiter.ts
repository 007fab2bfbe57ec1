// Bounds how often something may happen per key. The token bucket here counts in the memory of one isolate: a caller whose
// requests reach several isolates has that many buckets. A deployment that needs one count binds a limiter of the platform.

/** Takes one of a key's tokens. Contract: never rejects. */
export interface RateLimiter {
  /** Null when there was one, else milliseconds until there may be. */
  take(key: string): Promise<number | null>;
}

/** A limiter that can be charged for past events. A charge beyond the available tokens becomes a debt. */
export interface ChargedLimiter extends RateLimiter {
  charge(key: string, count: number): void;
}

/** Never refuses. */
export const unlimited: ChargedLimiter = { take: () => Promise.resolve(null), charge: () => {} };

const keyLimit = 10_000;
const minuteMicros = 60_000_000;

/** A bucket per key that holds `perMinute` tokens and fills up evenly. `now` is microseconds. */
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
