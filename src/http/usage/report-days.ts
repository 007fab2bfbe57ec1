// Determines the days of a usage report: fills in defaults, and checks the maximal number of days.

import { usageDayLimit } from "#contract/usage-route.ts";

import { invalidField } from "../input/field-error.ts";

const dayMs = 86_400_000;

/** Default number of days of a report. */
const usualDays = 30;

/** Returns the first and last day, both included. `now` is in microseconds. Throws `invalid_request`. */
export function reportDays(
  requested: { from?: string | undefined; to?: string | undefined },
  now: number,
): { from: string; to: string } {
  const to = requested.to ?? textOf(now / 1000);
  const from = requested.from ?? addDays(to, 1 - usualDays);
  if (to < from) throw invalidField("to", "Has to be the same day as `from`, or a later one");
  if (Date.parse(to) - Date.parse(from) >= usageDayLimit * dayMs) {
    throw invalidField("from", `A report covers ${String(usageDayLimit)} days at most. Choose fewer days.`);
  }
  return { from, to };
}

/** The day `days` after `day`. */
function addDays(day: string, days: number): string {
  return textOf(Date.parse(day) + days * dayMs);
}

function textOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}
