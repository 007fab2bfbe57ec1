// Reads how long a provider asks a client to wait: from headers, from fields of the error's body, or from its message. If several waits are
// given, the longest counts.

import { fieldsOf, type Fields } from "#lib/json-value.ts";

/** The longest wait that a provider may ask for. A longer one is shortened to it (figures.md, "Retry"). */
const longestWaitMs = 3_600_000;

/** A wait that a provider asks for. */
export interface AskedWait {
  /** Milliseconds, between 0 and one hour; null if the provider names none. */
  ms: number | null;
  /** The provider names more than an hour, which is longer than the longest wait before a retry. */
  tooLong: boolean;
}

/** Headers and body of an error response. */
export interface WaitSources {
  headers: Headers | null;
  /** The object with the fields `message`, `type` and `code`. */
  body: Fields | null;
  /** The error's message. */
  sentence: string;
}

/** The wait that an error response asks for. `now` is in milliseconds since 1970. */
export function readAskedWait({ headers, body, sentence }: WaitSources, now: number): AskedWait {
  const found = [waitOfHeaders(headers, now), waitOfBody(body, now), waitOfSentence(sentence)];
  const waits = found.filter((wait) => wait !== null);
  if (waits.length === 0) return { ms: null, tooLong: false };
  const longest = Math.max(...waits);
  return { ms: clamp(longest), tooLong: longest > longestWaitMs };
}

function clamp(milliseconds: number): number {
  return Math.min(Math.max(0, Math.round(milliseconds)), longestWaitMs);
}

/** The longer wait of `retry-after-ms` and `Retry-After` (seconds or a date): servers that send both round one of them down to 0. */
function waitOfHeaders(headers: Headers | null, now: number): number | null {
  const exact = number(headers?.get("retry-after-ms"));
  const value = headers?.get("retry-after")?.trim() ?? "";
  const seconds = number(value);
  // Some engines parse a bare negative number as a date, so a date has to contain the name of a month.
  const date = seconds === null && /[a-z]{3}/i.test(value) ? Date.parse(value) - now : NaN;
  return longestOf([exact, seconds === null ? null : seconds * 1000, Number.isFinite(date) ? date : null]);
}

function waitOfBody(body: Fields | null, now: number): number | null {
  if (body === null) return null;
  const metadata = fieldsOf(body["metadata"]);
  const details = Array.isArray(body["details"]) ? body["details"].map(fieldsOf) : [];
  return longestOf([
    ...[body, metadata].flatMap((fields) => [
      seconds(fields["retry_after"]),
      seconds(fields["retryAfter"]),
      seconds(fields["retry_after_seconds"]),
      number(fields["retry_after_ms"]),
    ]),
    ...details.map(({ retryDelay }) => durationOf(retryDelay)),
    untilReset(fieldsOf(metadata["headers"]), now),
  ]);
}

/**
 * Milliseconds until OpenRouter's limit is reset. OpenRouter sends the time of the reset (milliseconds since 1970) as a header inside the
 * body.
 */
function untilReset(headers: Fields, now: number): number | null {
  const name = Object.keys(headers).find((key) => key.toLowerCase() === "x-ratelimit-reset");
  const reset = name === undefined ? null : number(headers[name]);
  if (reset === null) return null;
  return reset > 1e11 ? reset - now : null;
}

const unit = "(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?![a-z])";
const duration = `\\d+(?:\\.\\d+)?\\s?${unit}`;
const asked = new RegExp(
  `\\b(?:try(?:ing)? again|retry(?:ing)?|wait)\\b[^.;\\d]{0,40}?(${duration}(?:(?:,| and|,? )? ?${duration})*)`,
  "i",
);

/** The wait in sentences such as "Please try again in 11m31.2s" and "Please retry after 6 seconds". */
function waitOfSentence(sentence: string): number | null {
  return durationOf(asked.exec(sentence.slice(0, 4000))?.[1]);
}

const unitMs: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a duration such as `34.5s` or `11m31.2s`; null if the value is not a duration. */
function durationOf(value: unknown): number | null {
  if (typeof value !== "string") return null;
  const pieces = [
    ...value
      .slice(0, 100)
      .toLowerCase()
      .matchAll(/(\d+(?:\.\d+)?)\s?([a-z]+)/g),
  ];
  if (pieces.length === 0) return null;
  return pieces.reduce((sum, [, count = "", name = ""]) => {
    const isMilliseconds = name === "ms" || name.startsWith("milli");
    return sum + Number(count) * (isMilliseconds ? 1 : (unitMs[name.charAt(0)] ?? Number.NaN));
  }, 0);
}

/** Milliseconds of a number of seconds (a number or a text) or of a duration. */
function seconds(value: unknown): number | null {
  const count = number(value);
  return count === null ? durationOf(value) : count * 1000;
}

function number(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) && value >= 0 ? value : null;
  return typeof value === "string" && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : null;
}

function longestOf(waits: readonly (number | null)[]): number | null {
  const known = waits.filter((wait) => wait !== null && Number.isFinite(wait));
  return known.length === 0 ? null : Math.max(...(known as number[]));
}
