// Prepares a usage report for the chart: a bar for each day, with a part for each agent or model. The most expensive
// ones have a part of their own; all others share one.

import { stack } from "d3-shape";
import type { UsageReport } from "threadhold/client";

import { amountOf, drawnOf, sumOf } from "./amount.ts";
import type { Amount } from "./amount.ts";
import type { Dimension, Measure } from "./usage-choice.ts";

/** The index of the mark that the others share; the first six have marks of their own. */
export const restPlace = 6;

/** The usage of one agent or model on one day. */
export interface Entry extends Amount {
  day: string;
  name: string;
}

/** The usage of one agent or model on all days, with the index of its mark: 0 to 5, or 6 for the shared one. */
export interface Series extends Amount {
  name: string;
  place: number;
}

/** A part of a bar, in the measure of the chart. */
interface BarPart {
  place: number;
  from: number;
  to: number;
}

/** The bar of a day. */
export interface Bar extends Amount {
  day: string;
  parts: BarPart[];
  entries: readonly Entry[];
}

/** The agent or model of a line in a report. */
export function nameOf(line: { agent_id?: string | undefined; model?: string | undefined }, by: Dimension): string {
  return (by === "agent" ? line.agent_id : line.model) ?? "";
}

/** The lines of a report by day and dimension. */
export function entriesOf({ usage }: UsageReport, by: Dimension): Entry[] {
  return usage.map((line) => ({ day: line.day ?? "", name: nameOf(line, by), ...amountOf(line) }));
}

/**
 * The agents or models, the most expensive first. The order does not depend on the measure, so that a mark keeps its
 * meaning.
 */
export function seriesOf(entries: readonly Entry[]): Series[] {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) groups.set(entry.name, [...(groups.get(entry.name) ?? []), entry]);
  const sums = Array.from(groups, ([name, group]) => ({ name, ...sumOf(group) }));
  sums.sort((a, b) => b.known - a.known || b.tokens - a.tokens || (a.name < b.name ? -1 : 1));
  return sums.map((sum, at) => ({ ...sum, place: Math.min(at, restPlace) }));
}

/** A bar for each day, with a part for each mark. */
export function barsOf(
  days: readonly string[],
  { entries, series, measure }: { entries: readonly Entry[]; series: readonly Series[]; measure: Measure },
): Bar[] {
  const placeOf = new Map(series.map(({ name, place }) => [name, place]));
  const byDay = new Map<string, Entry[]>(days.map((day) => [day, []]));
  for (const entry of entries) byDay.get(entry.day)?.push(entry);
  const bars = Array.from(byDay, ([day, its]): Bar => {
    const inOrder = its.toSorted((a, b) => (placeOf.get(a.name) ?? 0) - (placeOf.get(b.name) ?? 0));
    return { day, ...sumOf(its), parts: [], entries: inOrder };
  });
  const places = [...new Set(series.map(({ place }) => place))];
  const stacked = stack<Bar, number>()
    .keys(places)
    .value(({ entries: its }, place) =>
      its.reduce((sum, entry) => sum + (placeOf.get(entry.name) === place ? drawnOf(entry, measure) : 0), 0),
    )(bars);
  for (const { key, ...layer } of stacked) {
    for (const [at, bar] of bars.entries()) {
      const [from, to] = layer[at] ?? [0, 0];
      if (to > from) bar.parts.push({ place: key, from, to });
    }
  }
  return bars;
}
