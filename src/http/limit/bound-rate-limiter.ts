// Adapts the platform's rate limiting binding to `RateLimiter`. The binding counts for each location. Its limit and period are part of
// the deployment's configuration, and it does not report when the next request is permitted.

import type { RateLimiter } from "./rate-limiter.ts";

/** The part of the platform's binding that is used. */
export interface RateLimitBinding {
  limit(options: { key: string }): Promise<{ success: boolean }>;
}

/** A limiter over a binding whose period is `periodSeconds`. If the binding fails, the request is permitted. */
export function boundRateLimiter(binding: RateLimitBinding, periodSeconds: 10 | 60): RateLimiter {
  return {
    async take(key) {
      const { success } = await binding.limit({ key }).catch(() => ({ success: true }));
      return success ? null : periodSeconds * 1000;
    },
  };
}
