// Formats numbers, times and prices for people. Times of the API are microseconds since epoch.

const units = [
  { ms: 60_000, each: 1000, unit: "s" },
  { ms: 3_600_000, each: 60_000, unit: "m" },
  { ms: 86_400_000, each: 3_600_000, unit: "h" },
  { ms: 30 * 86_400_000, each: 86_400_000, unit: "d" },
] as const;

/** The time since a moment: `now`, `12 s`, `3 h`; a date if it is more than a month. */
export function ago(microseconds: number, now: number): string {
  const passed = Math.max(0, now - microseconds / 1000);
  if (passed < 5000) return "now";
  const found = units.find(({ ms }) => passed < ms);
  if (found !== undefined) return `${Math.floor(passed / found.each)} ${found.unit}`;
  return new Date(microseconds / 1000).toISOString().slice(0, 10);
}

/** A time of the day with seconds, for a full label. */
export function clock(microseconds: number): string {
  return new Date(microseconds / 1000).toLocaleTimeString("en-GB", { hour12: false });
}

/** The time of a moment of today, or the date of an earlier one, in the browser's time zone. */
export function clockOrDay(microseconds: number, now: number): string {
  const at = new Date(microseconds / 1000);
  if (at.toDateString() === new Date(now).toDateString()) return clock(microseconds);
  const isThisYear = at.getFullYear() === new Date(now).getFullYear();
  return at.toLocaleDateString("en-GB", { day: "numeric", month: "short", ...(isThisYear ? {} : { year: "2-digit" }) });
}

/** Day and time in full. */
export function dayAndTime(microseconds: number): string {
  return new Date(microseconds / 1000).toLocaleString("en-GB", { dateStyle: "full", timeStyle: "medium" });
}

/** The moment in ISO format. */
export function iso(microseconds: number): string {
  return new Date(microseconds / 1000).toISOString();
}

/** A number of bytes with a unit. */
export function bytes(count: number): string {
  if (count < 1024) return `${count} B`;
  if (count < 1024 * 1024) return `${(count / 1024).toFixed(1)} KiB`;
  return `${(count / (1024 * 1024)).toFixed(1)} MiB`;
}

/** A number with separated thousands that never breaks across lines. */
export function count(number: number): string {
  return number.toLocaleString("en-US").replaceAll(",", "\u00a0");
}

/** Names as a part of a sentence: `A`, `A and B`, `A, B and C`. */
export function listed(names: readonly string[]): string {
  return new Intl.ListFormat("en-GB").format(names);
}

/** US dollars; null is an unknown price. */
export function money(usd: number | null): string {
  if (usd === null) return "price unknown";
  if (usd === 0) return "$0";
  return usd < 0.01 ? `$${usd.toFixed(5)}` : `$${usd.toFixed(2)}`;
}
