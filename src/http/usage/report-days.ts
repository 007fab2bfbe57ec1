// Which days a report is over: what was asked for, with what was left out filled in, and not more than a report may have.

import { usageDayLimit } from "#contract/usage-route.ts";

import { invalidField } from "../input/field-error.ts";

const dayMs = 86_400_000;

/** Days of a report where the caller does not say. */
const usualDays = 30;

/** The days, both included. `now` is in microseconds. Throws `invalid_request`. */
export function reportDays(
  asked: { from?: string | undefined; to?: string | undefined },
  now: number,
): { from: string; to: string } {
  const to = asked.to ?? textOf(now / 1000);
  const from = asked.from ?? later(to, 1 - usualDays);
  if (to < from) throw invalidField("to", "Has to be the same day as `from`, or a later one");
  if (Date.parse(to) - Date.parse(from) >= usageDayLimit * dayMs) {
    throw invalidField("from", `A report covers ${String(usageDayLimit)} days at most. Choose fewer days.`);
  }
  return { from, to };
}

/** A day so many days later. */
function later(day: string, days: number): string {
  return textOf(Date.parse(day) + days * dayMs);
}

function textOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}
