// The platform's rate limiting binding as our port. It counts per location rather than per isolate, its limit and period
// stand in the deployment's configuration, and it says no without saying until when.

import type { RateLimiter } from "./rate-limiter.ts";

/** The part of the platform's binding that is used. */
export interface RateLimitBinding {
  limit(options: { key: string }): Promise<{ success: boolean }>;
}

/** A limiter over a binding whose period is `periodSeconds`. A binding that fails lets the request through. */
export function boundRateLimiter(binding: RateLimitBinding, periodSeconds: 10 | 60): RateLimiter {
  return {
    async take(key) {
      const { success } = await binding.limit({ key }).catch(() => ({ success: true }));
      return success ? null : periodSeconds * 1000;
    },
  };
}
