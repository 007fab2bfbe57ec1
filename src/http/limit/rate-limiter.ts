// Bounds how often something may happen per key. The token bucket here counts in the memory of one isolate: a caller whose
// requests reach several isolates has that many buckets. A deployment that needs one count binds a limiter of the platform.

/** Takes one of a key's tokens. Contract: never rejects. */
export interface RateLimiter {
  /** Null when there was one, else milliseconds until there may be. */
  take(key: string): Promise<number | null>;
}

/** Never refuses. */
export const unlimited: RateLimiter = { take: () => Promise.resolve(null) };

const keyLimit = 10_000;
const minuteMicros = 60_000_000;

/** A bucket per key that holds `perMinute` tokens and fills up evenly. `now` is microseconds. */
export function createTokenBuckets(perMinute: number, now: () => number): RateLimiter {
  const buckets = new Map<string, { tokens: number; at: number }>();
  const microsPerToken = minuteMicros / perMinute;
  return {
    take(key) {
      const at = now();
      const bucket = buckets.get(key) ?? { tokens: perMinute, at };
      const tokens = Math.min(perMinute, bucket.tokens + (at - bucket.at) / microsPerToken);
      const granted = tokens >= 1;
      buckets.delete(key);
      buckets.set(key, { tokens: granted ? tokens - 1 : tokens, at });
      const oldest = buckets.size > keyLimit ? buckets.keys().next().value : undefined;
      if (oldest !== undefined) buckets.delete(oldest);
      return Promise.resolve(granted ? null : Math.ceil(((1 - tokens) * microsPerToken) / 1000));
    },
  };
}
