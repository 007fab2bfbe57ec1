// What is counted and bounded of a run, and how bounds and counts add up. Pure.

import type { Limits } from "#contract/run.ts";

/** What is bounded, in the order in which limits are looked for. */
export const amountNames = ["steps", "turns", "tokens", "duration_ms", "cost"] as const satisfies (keyof Limits)[];
export type AmountName = (typeof amountNames)[number];

/** What may be used at most; null for no bound. */
export type Bounds = Record<AmountName, number | null>;

/** What was used. Of money what is known: nothing of it is left out because something beside it has no price. */
export type Used = Record<AmountName, number>;

/** No bounds. */
export const noBounds: Bounds = Object.freeze({
  steps: null,
  turns: null,
  tokens: null,
  duration_ms: null,
  cost: null,
});

/** Nothing used. */
export const noUse: Used = Object.freeze({ steps: 0, turns: 0, tokens: 0, duration_ms: 0, cost: 0 });

/** The strictest bound of each; what is left out or null bounds nothing. */
export function strictest(...all: readonly Partial<Bounds>[]): Bounds {
  const least = (name: AmountName): number | null => {
    const given = all.flatMap((bounds) => bounds[name] ?? []);
    return given.length === 0 ? null : Math.min(...given);
  };
  return eachAmount(least);
}

/** What two used together. */
export function together(one: Used, other: Used): Used {
  return eachAmount((name) => one[name] + other[name]);
}

/** What is left of bounds, perhaps less than nothing. */
export function leftOf(bounds: Bounds, used: Used): Bounds {
  return eachAmount((name) => {
    const bound = bounds[name];
    if (bound === null) return null;
    const left = bound - used[name];
    return left > bound * sliver ? left : Math.min(0, left);
  });
}

/** Part of a bound that is nothing: sums of prices are off by less. */
const sliver = 1e-9;

/** A value for each. */
export function eachAmount<T>(valueOf: (name: AmountName) => T): Record<AmountName, T> {
  return {
    steps: valueOf("steps"),
    turns: valueOf("turns"),
    tokens: valueOf("tokens"),
    duration_ms: valueOf("duration_ms"),
    cost: valueOf("cost"),
  };
}
