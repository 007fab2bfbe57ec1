// The amounts of a run that are counted and bounded, with their arithmetic. Pure.

import type { Limits } from "#contract/run.ts";

/** The amounts, in the order in which their limits are checked. */
export const amountNames = ["steps", "turns", "tokens", "duration_ms", "cost"] as const satisfies (keyof Limits)[];
export type AmountName = (typeof amountNames)[number];

/** The maximum that may be used of each amount; null for no bound. */
export type Bounds = Record<AmountName, number | null>;

/** The used amounts. `cost` is the sum of the known costs; requests without a known price add nothing. */
export type Used = Record<AmountName, number>;

/** The bounds of a run without any limit. */
export const noBounds: Bounds = Object.freeze({
  steps: null,
  turns: null,
  tokens: null,
  duration_ms: null,
  cost: null,
});

/** The used amounts before anything is used. */
export const zeroUse: Used = Object.freeze({ steps: 0, turns: 0, tokens: 0, duration_ms: 0, cost: 0 });

/** The strictest bound of each amount. A missing or null bound means that the amount is not bounded. */
export function strictest(...all: readonly Partial<Bounds>[]): Bounds {
  const least = (name: AmountName): number | null => {
    const given = all.flatMap((bounds) => bounds[name] ?? []);
    return given.length === 0 ? null : Math.min(...given);
  };
  return eachAmount(least);
}

/** The sum of two used amounts. */
export function addUsed(one: Used, other: Used): Used {
  return eachAmount((name) => one[name] + other[name]);
}

/** The remaining part of each bound, negative if the bound is exceeded. */
export function remainingOf(bounds: Bounds, used: Used): Bounds {
  return eachAmount((name) => {
    const bound = bounds[name];
    if (bound === null) return null;
    const remaining = bound - used[name];
    return remaining > bound * epsilon ? remaining : Math.min(0, remaining);
  });
}

/** A remaining part below this share of the bound counts as zero, because sums of prices have rounding errors. */
const epsilon = 1e-9;

/** A record with a value for each amount. */
export function eachAmount<T>(valueOf: (name: AmountName) => T): Record<AmountName, T> {
  return {
    steps: valueOf("steps"),
    turns: valueOf("turns"),
    tokens: valueOf("tokens"),
    duration_ms: valueOf("duration_ms"),
    cost: valueOf("cost"),
  };
}
