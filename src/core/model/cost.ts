// The cost of a model call, from token counts and prices. If the input or the output price is missing, the cost is unknown (null), never
// zero. A missing cache price is the input price. A plausible total that the provider reports is used in place of the computed one
// (decision 20: costs).

import { roundCost } from "#contract/usage.ts";
import type { Usage } from "#contract/usage.ts";
import type { LongPromptPrices, TokenPrices } from "#spec/index.ts";

/** The prices of a model definition, in USD per million tokens. */
export interface Prices extends TokenPrices {
  longPrompt?: LongPromptPrices;
}

const million = 1_000_000;

/** The highest total in USD that is accepted from a provider. A higher one is not plausible. */
const mostReported = million;

/** The cost in USD. Null if the input or the output price is missing and the provider reported no plausible total. */
export function costOf(prices: Prices, usage: Usage, reported: number | null): number | null {
  if (reported !== null && reported >= 0 && reported <= mostReported) return roundCost(reported);
  // Without prices of long prompts the bound is NaN, which no prompt exceeds.
  const isLong = usage.total_tokens - usage.output > Number(prices.longPrompt?.above);
  if (isLong) prices = { ...prices, ...prices.longPrompt };
  const { inputPrice, outputPrice } = prices;
  if (inputPrice === undefined || outputPrice === undefined) return null;
  return roundCost(
    (usage.input * inputPrice +
      usage.cache_write * (prices.cacheWritePrice ?? inputPrice) +
      usage.cache_read * (prices.cachedPrice ?? inputPrice) +
      usage.output * outputPrice) /
      million,
  );
}
