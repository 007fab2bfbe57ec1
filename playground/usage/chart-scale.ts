// The positions in the chart: days from left to right, amounts from the bottom to the top, and which of them have a
// label.

import { scaleBand, scaleLinear } from "d3-scale";

import { shortDay } from "./days.ts";
import type { Bar } from "./series.ts";
import type { Measure } from "./usage-choice.ts";

/** Pixels around the bars. */
const margin = { top: 14, right: 2, bottom: 26, left: 54 } as const;

/** The largest width of a bar in pixels, for charts of a few days. */
const broadest = 44;

/** The width of a day's label in pixels. */
const labelWidth = 62;

/** The measures of the chart, in pixels. */
export interface ChartScale {
  width: number;
  height: number;
  /** The line at the bottom of the bars, and both its ends. */
  ground: number;
  left: number;
  right: number;
  /** A day's left edge, including the space between bars; and the widths. */
  slotOf: (day: string) => number;
  slot: number;
  barOf: (day: string) => number;
  bar: number;
  heightOf: (amount: number) => number;
  rows: { at: number; label: string }[];
  names: { at: number; label: string; anchor: "start" | "middle" | "end" }[];
}

/** The scale of bars for a chart of this size in pixels. */
export function chartScale(
  bars: readonly Bar[],
  size: { width: number; height: number; measure: Measure },
): ChartScale {
  const { width, height, measure } = size;
  const [left, right, ground] = [margin.left, Math.max(margin.left + 1, width - margin.right), height - margin.bottom];
  const days = bars.map(({ day }) => day);
  const across = scaleBand(days, [left, right])
    .paddingInner(days.length > 120 ? 0 : 0.22)
    .paddingOuter(0.1);
  const highest = Math.max(0, ...bars.flatMap(({ parts }) => parts.map(({ to }) => to)));
  const up = scaleLinear([0, highest === 0 ? 1 : highest], [ground, margin.top]).nice(4);
  const step = across.step();
  const [room, bar] = [across.bandwidth(), Math.min(across.bandwidth(), broadest)];
  const roomOf = (day: string): number => across(day) ?? left;
  const every = Math.max(1, Math.ceil(labelWidth / step));
  return {
    width,
    height,
    ground,
    left,
    right,
    slot: step,
    slotOf: (day) => roomOf(day) - (step - room) / 2,
    bar,
    barOf: (day) => roomOf(day) + (room - bar) / 2,
    heightOf: (amount) => ground - up(amount),
    rows: rowsOf(highest === 0 ? [0] : up.ticks(4), measure).map(({ amount, label }) => ({ at: up(amount), label })),
    // Counted from the last day, so that the last day always has a label.
    names: days.flatMap((day, at) => {
      if ((days.length - 1 - at) % every !== 0) return [];
      const middle = roomOf(day) + room / 2;
      const anchor = middle + labelWidth / 2 > width ? "end" : "middle";
      if (middle - labelWidth / 2 < 0) return [];
      return [{ at: anchor === "end" ? right : middle, label: shortDay(day), anchor } as const];
    }),
  };
}

const thin = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

/** Short labels of amounts; amounts of money have as many decimals as the steps between them need. */
function rowsOf(amounts: readonly number[], measure: Measure): { amount: number; label: string }[] {
  if (measure === "tokens") return amounts.map((amount) => ({ amount, label: thin.format(amount) }));
  const step = (amounts[1] ?? 1) - (amounts[0] ?? 0);
  const places = step >= 1 ? 0 : Math.max(2, Math.ceil(-Math.log10(step) - 1e-9));
  const words = (amount: number): string => (amount >= 10_000 ? thin.format(amount) : amount.toFixed(places));
  return amounts.map((amount) => ({ amount, label: amount === 0 ? "$0" : `$${words(amount)}` }));
}
