// Token counts and money. `input` counts uncached prompt tokens; tokens read from or written to a provider's cache are counted
// separately; reasoning counts in `output`. Cost is USD, null if a price is missing. This file has no schema, so that the client's
// bundle, which folds events with it, contains none.

import type { z } from "zod";

import type { usageSchema } from "./usage-schema.ts";

/** Token counts. */
export type Usage = z.infer<typeof usageSchema>;

/** No tokens. */
export const zeroUsage: Usage = Object.freeze({
  input: 0,
  output: 0,
  cache_read: 0,
  cache_write: 0,
  total_tokens: 0,
});

/** Sums two counts. */
export function addUsage(left: Usage, right: Usage): Usage {
  return {
    input: left.input + right.input,
    output: left.output + right.output,
    cache_read: left.cache_read + right.cache_read,
    cache_write: left.cache_write + right.cache_write,
    total_tokens: left.total_tokens + right.total_tokens,
  };
}

/** The difference between a later count and an earlier one. */
export function usageSince(earlier: Usage, later: Usage): Usage {
  return {
    input: later.input - earlier.input,
    output: later.output - earlier.output,
    cache_read: later.cache_read - earlier.cache_read,
    cache_write: later.cache_write - earlier.cache_write,
    total_tokens: later.total_tokens - earlier.total_tokens,
  };
}

/** Sums two costs. The sum is unknown (null) if either of them is unknown. */
export function addCost(left: number | null, right: number | null): number | null {
  return left === null || right === null ? null : roundCost(left + right);
}

/** A cost rounded to 12 decimal places of a USD, without the digits that sums of binary fractions add. */
export function roundCost(cost: number): number {
  return Number(cost.toFixed(12));
}
