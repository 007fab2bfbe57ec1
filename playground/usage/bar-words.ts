// Texts of a bar in the chart: a sentence for screen readers, and figures.

import { count } from "../kit/figures.ts";
import { costText } from "./amount.ts";
import type { Amount } from "./amount.ts";
import { dayText } from "./days.ts";
import type { Bar } from "./series.ts";
import type { Measure } from "./usage-choice.ts";

/** An amount in the measure of the chart. */
export function amountWords(amount: Amount, measure: Measure): string {
  return measure === "cost" ? costText(amount) : count(amount.tokens);
}

/** A day in a sentence: the total, then each part. */
export function barWords(bar: Bar, measure: Measure, sofar: boolean): string {
  const day = `${dayText(bar.day)}${sofar ? ", so far" : ""}`;
  if (bar.entries.length === 0) return `${day}: nothing`;
  const unit = measure === "cost" ? "" : " tokens";
  const parts = bar.entries.map((entry) => `${entry.name} ${amountWords(entry, measure)}`);
  return `${day}: ${amountWords(bar, measure)}${unit}; ${parts.join(", ")}`;
}
