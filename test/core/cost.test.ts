// The cost of a model call.

import { expect, it } from "vitest";

import { addCost } from "#contract/usage.ts";
import { costOf } from "#core/model/cost.ts";

const usage = { input: 1_000_000, output: 200_000, cache_read: 500_000, cache_write: 100_000, total_tokens: 1_800_000 };

it("PRICE1 Each kind of tokens has its own price per million tokens", () => {
  const prices = { inputPrice: 3, outputPrice: 15, cachedPrice: 0.3, cacheWritePrice: 3.75 };
  expect(costOf(prices, usage, null)).toBeCloseTo(3 + 3 + 0.15 + 0.375, 10);
});

it("PRICE1 Tokens read from or written to a cache cost as input if they have no price", () => {
  expect(costOf({ inputPrice: 3, outputPrice: 15 }, usage, null)).toBeCloseTo(3 + 3 + 1.5 + 0.3, 10);
  expect(costOf({ inputPrice: 0, outputPrice: 0 }, usage, null)).toBe(0);
});

it("PRICE5 A request whose prompt has more tokens than the bound costs the prices of long prompts, cached tokens included", () => {
  const prices = {
    inputPrice: 2,
    outputPrice: 12,
    cachedPrice: 0.2,
    longPrompt: { above: 200_000, inputPrice: 4, outputPrice: 18 },
  };
  const long = { input: 100_001, output: 1000, cache_read: 100_000, cache_write: 0, total_tokens: 201_001 };
  expect(costOf(prices, long, null)).toBeCloseTo(0.400004 + 0.02 + 0.018, 12);
  const short = { ...long, input: 100_000, total_tokens: 201_000 };
  expect(costOf(prices, short, null)).toBeCloseTo(0.2 + 0.02 + 0.012, 12);
  expect(costOf({ ...prices, longPrompt: { above: 200_000, cachedPrice: 0 } }, long, null)).toBeCloseTo(
    0.200002 + 0.012,
    12,
  );
  expect(costOf(prices, long, 0.5)).toBe(0.5);
});

it("PRICE2 A cost reported by the provider is used instead of the computed one", () => {
  expect(costOf({ inputPrice: 3, outputPrice: 15 }, usage, 0.5)).toBe(0.5);
  expect(costOf({}, usage, 0)).toBe(0);
});

it("PRICE3 Without prices the cost of a run is unknown", () => {
  expect(costOf({}, usage, null)).toBeNull();
  expect(costOf({ inputPrice: 3 }, usage, null)).toBeNull();
});

it("PRICE4 Costs and their sums have no rounding errors of binary fractions", () => {
  const one = { ...usage, input: 1, output: 0, cache_read: 0, cache_write: 0 };
  expect(costOf({ inputPrice: 0.15, outputPrice: 0.6 }, { ...one, input: 39_400 }, null)).toBe(0.00591);
  expect(costOf({ inputPrice: 0.0375, outputPrice: 0 }, one, null)).toBe(0.0000000375);
  expect(costOf({}, usage, 0.1 + 0.2)).toBe(0.3);
  expect(addCost(0.1, 0.2)).toBe(0.3);
  expect(Array.from({ length: 1000 }).reduce<number | null>((sum) => addCost(sum, 0.00591), 0)).toBe(5.91);
  expect(addCost(0.3, -0.1)).toBe(0.2);
  expect(addCost(null, 0.1)).toBeNull();
});

it("PRICE4 Costs and their sums are rounded to 12 decimal places", () => {
  const token = { ...usage, input: 1, output: 0, cache_read: 0, cache_write: 0 };
  const rounded = [
    [0.4e-12, 0],
    [0.6e-12, 1e-12],
    [1.4e-12, 1e-12],
    [1.6e-12, 2e-12],
  ] as const;
  for (const [cost, expected] of rounded) {
    expect(costOf({}, usage, cost)).toBe(expected);
    expect(costOf({ inputPrice: cost * 1e6, outputPrice: 0 }, token, null)).toBe(expected);
    expect(addCost(cost, 0)).toBe(expected);
  }
  expect(addCost(0.123456789012, 0.4e-12)).toBe(0.123456789012);
  expect(addCost(0.123456789012, 0.6e-12)).toBe(0.123456789013);
});
