// What of the usage is shown, kept in the address, so that it can be shared and survives a reload. What an address says wrongly
// is as if it were not there.

import { useNow } from "../kit/now.ts";
import { useAddress } from "../kit/use-address.ts";
import { dayAt, isDay, later } from "./days.ts";

/** Lengths to choose from, in days until today. */
export const presets = [7, 30, 90] as const;
type Preset = (typeof presets)[number];

const dimensions = ["agent", "model"] as const;
export type Dimension = (typeof dimensions)[number];

const measures = ["cost", "tokens"] as const;
export type Measure = (typeof measures)[number];

/** The choice. */
export interface UsageChoice {
  /** Null for days of one's own. */
  preset: Preset | null;
  from: string;
  to: string;
  by: Dimension;
  /** Null until one is chosen: the page takes what there is something of. */
  measure: Measure | null;
  /** Of one agent or model alone. */
  only: string | null;
  /** The day that was picked in the drawing. */
  day: string | null;
}

const usual: Preset = 30;

/** What an address says. */
export function readChoice(params: URLSearchParams, today: string): UsageChoice {
  const read = (name: string): string => params.get(name) ?? "";
  const [from, to, day] = [read("from"), read("to"), read("day")] as const;
  const rest = {
    by: dimensions.find((one) => one === read("by")) ?? "agent",
    measure: measures.find((one) => one === read("measure")) ?? null,
    only: params.get("only"),
  };
  const picked = (first: string, last: string): string | null =>
    isDay(day) && day >= first && day <= last ? day : null;
  if (isDay(from) && isDay(to) && from <= to) {
    return { preset: null, from, to, day: picked(from, to), ...rest };
  }
  const preset = presets.find((one) => String(one) === read("days")) ?? usual;
  const first = later(today, 1 - preset);
  return { preset, from: first, to: today, day: picked(first, today), ...rest };
}

/** Parts of an address; null takes one out. */
export type AddressChange = Partial<Record<"days" | "from" | "to" | "by" | "measure" | "only" | "day", string | null>>;

/** The choice, and what changes it without a step to go back to. */
export function useUsageChoice(): [UsageChoice, (change: AddressChange) => void] {
  const [params, change] = useAddress<AddressChange>();
  const today = dayAt(useNow());
  return [readChoice(params, today), change];
}
