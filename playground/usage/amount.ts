// Amounts of usage, and their texts. A missing price is never shown as zero: a cost is then unknown, or "at least" the
// known part.

import type { UsageReport } from "threadhold/client";

import { money } from "../kit/figures.ts";
import type { Measure } from "./usage-choice.ts";

type Sums = UsageReport["total"];

/** An amount of usage. */
export interface Amount {
  runs: number;
  input: number;
  output: number;
  /** Tokens read from and written to a provider's cache. */
  cached: number;
  tokens: number;
  /** USD; null if the price of any part is unknown. */
  cost: number | null;
  /** USD of the parts with a known price. */
  known: number;
}

export const nothing: Amount = Object.freeze({ runs: 0, input: 0, output: 0, cached: 0, tokens: 0, cost: 0, known: 0 });

/** Converts the server's sums. */
export function amountOf({ runs, usage, cost, known_cost }: Sums): Amount {
  const { input, output, cache_read, cache_write, total_tokens } = usage;
  return { runs, input, output, cached: cache_read + cache_write, tokens: total_tokens, cost, known: known_cost };
}

export function sumOf(amounts: Iterable<Amount>): Amount {
  let sum = nothing;
  for (const one of amounts) {
    sum = {
      runs: sum.runs + one.runs,
      input: sum.input + one.input,
      output: sum.output + one.output,
      cached: sum.cached + one.cached,
      tokens: sum.tokens + one.tokens,
      cost: sum.cost === null || one.cost === null ? null : sum.cost + one.cost,
      known: sum.known + one.known,
    };
  }
  return sum;
}

/** The part of an amount that a chart can draw. */
export function drawnOf(amount: Amount, measure: Measure): number {
  return measure === "cost" ? amount.known : amount.tokens;
}

/** A cost as text: known, partly known, or unknown. */
export function costText({ cost, known }: Pick<Amount, "cost" | "known">): string {
  if (cost !== null) return money(cost);
  return known > 0 ? `at least ${money(known)}` : "unknown";
}

/** The change of a figure since the days before; null if it cannot be stated. */
export function changeText(now: number | null, before: number | null): string | null {
  if (now === null || before === null) return null;
  if (now === before) return "as before";
  if (before === 0) return "none before";
  const ratio = now / before;
  if (ratio >= 10) return `${Math.round(ratio)} times`;
  const percent = Math.round((ratio - 1) * 100);
  return `${percent < 0 ? "−" : "+"}${Math.abs(percent)} %`;
}
