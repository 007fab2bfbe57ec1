// Reads how long a provider asks us to wait. Invariant: the answer is null or between 0 and one hour, whatever was sent.

// figures: Retry-After accepts seconds and dates, clamped to 3600 s.
const longestWaitMs = 3_600_000;

function clamp(milliseconds: number): number | null {
  if (!Number.isFinite(milliseconds)) return null;
  return Math.min(Math.max(0, Math.round(milliseconds)), longestWaitMs);
}

/**
 * Milliseconds to wait, from `retry-after-ms` or `Retry-After` (seconds or an HTTP date); null when neither can be read.
 * `now` is milliseconds since 1970 (figures: Retry).
 */
export function parseRetryAfter(headers: Headers | null, now: number): number | null {
  const exact = headers?.get("retry-after-ms")?.trim();
  if (exact !== undefined && /^\d+(\.\d+)?$/.test(exact)) return clamp(Number(exact));
  const value = headers?.get("retry-after")?.trim();
  if (value === undefined || value === "") return null;
  if (/^\d+(\.\d+)?$/.test(value)) return clamp(Number(value) * 1000);
  // A bare negative number is a date to some engines, so a date has to name a month.
  return /[a-z]{3}/i.test(value) ? clamp(Date.parse(value) - now) : null;
}

/** Milliseconds of a duration such as `34.5s`, as Google's `RetryInfo` writes it; null when it is none. */
export function parseDuration(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)s$/.exec(text.trim());
  return match === null ? null : clamp(Number(match[1]) * 1000);
}
