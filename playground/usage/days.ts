// Days of UTC as `YYYY-MM-DD`, as the usage reports have them, and their texts.

const dayMs = 86_400_000;

/** The day of a moment, in milliseconds since epoch. */
export function dayAt(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

/** The day that is this many days later. */
export function later(day: string, days: number): string {
  return dayAt(Date.parse(day) + days * dayMs);
}

/** The number of days from one to another, both included. */
export function spanOf(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1;
}

/** The same number of days, directly before these. */
export function daysBefore(from: string, to: string): { from: string; to: string } {
  return { from: later(from, -spanOf(from, to)), to: later(from, -1) };
}

/** All days of a range, in order. */
export function daysOf(from: string, to: string): string[] {
  return Array.from({ length: Math.max(0, spanOf(from, to)) }, (_, at) => later(from, at));
}

/** Whether a text is an existing day. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const at = Date.parse(text);
  return !Number.isNaN(at) && dayAt(at) === text;
}

const whole = new Intl.DateTimeFormat("en-GB", {
  weekday: "short",
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});
const range = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
const short = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

/** `Tue, 3 Nov 2026`. */
export function dayText(day: string): string {
  return whole.format(Date.parse(day));
}

/** `3 – 21 Nov 2026`. */
export function rangeWords(from: string, to: string): string {
  return range.formatRange(Date.parse(from), Date.parse(to));
}

/** `3 Nov`. */
export function shortDay(day: string): string {
  return short.format(Date.parse(day));
}
