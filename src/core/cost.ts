// What a model call cost. Pure arithmetic over counts and prices; a price that is missing makes the cost unknown, never
// zero, and a total the provider reports wins over our own sum (decision 20), unless no call can cost that.

import { roundCost } from "#contract/usage.ts";
import type { Usage } from "#contract/usage.ts";

/** USD per million tokens, as a model definition names them. */
export interface Prices {
  inputPrice?: number;
  outputPrice?: number;
  cachedPrice?: number;
  cacheWritePrice?: number;
}

const million = 1_000_000;

/** USD that no call costs. */
const mostReported = million;

/** USD of a call, or null where a price is missing and the provider reported none (decision 20). */
export function costOf(prices: Prices, usage: Usage, reported: number | null): number | null {
  if (reported !== null && reported >= 0 && reported <= mostReported) return roundCost(reported);
  const { inputPrice, outputPrice } = prices;
  if (inputPrice === undefined || outputPrice === undefined) return null;
  const { cachedPrice = inputPrice, cacheWritePrice = inputPrice } = prices;
  const parts = [
    usage.input * inputPrice,
    usage.cache_write * cacheWritePrice,
    usage.cache_read * cachedPrice,
    usage.output * outputPrice,
  ];
  return roundCost(parts.reduce((sum, part) => sum + part, 0) / million);
}
