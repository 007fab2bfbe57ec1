// The choices of the usage page, kept in the address, so that they can be shared and survive a reload. An invalid value
// in the address is ignored.

import { useNow } from "../kit/now.ts";
import { useAddress } from "../kit/use-address.ts";
import { dayAt, isDay, later } from "./days.ts";

/** Numbers of days until today to choose from. */
export const presets = [7, 30, 90] as const;
type Preset = (typeof presets)[number];

const dimensions = ["agent", "model"] as const;
export type Dimension = (typeof dimensions)[number];

const measures = ["cost", "tokens"] as const;
export type Measure = (typeof measures)[number];

export interface UsageChoice {
  /** Null for a range that the user entered. */
  preset: Preset | null;
  from: string;
  to: string;
  by: Dimension;
  /** Null until the user chooses one: the page then takes a measure that has data. */
  measure: Measure | null;
  /** One agent or model to show alone; null for all. */
  only: string | null;
  /** The day that was selected in the chart. */
  day: string | null;
}

const usual: Preset = 30;

/** Reads the choices from an address. */
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

/** Changed parameters of the address; null removes one. */
export type AddressChange = Partial<Record<"days" | "from" | "to" | "by" | "measure" | "only" | "day", string | null>>;

/** The choices, and the function that changes them without a new entry in the browser's history. */
export function useUsageChoice(): [UsageChoice, (change: AddressChange) => void] {
  const [params, change] = useAddress<AddressChange>();
  const today = dayAt(useNow());
  return [readChoice(params, today), change];
}
