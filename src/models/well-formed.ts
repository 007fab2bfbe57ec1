// Replaces halves of surrogate pairs by U+FFFD. A half remains if a text was cut inside a pair. JavaScript strings may contain it, but
// providers refuse it, so every later request of the thread would fail. Invariant: no text of a request has a half, at any depth, also not
// as an escape sequence in a text that is JSON.

import { parseJson } from "#lib/json-value.ts";

// JSON contains complete surrogate pairs unescaped, so an escaped surrogate is always a lone one. The number of backslashes in a match is
// odd: pairs of them are escaped backslashes, and the last one begins the escape sequence.
const loneSurrogate = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/gi;

/** The JSON of a value without escaped surrogates. `JSON.stringify` escapes only lone ones. */
export function wellFormedJson(json: string): string {
  // Most bodies have no escaped surrogate, and the search for these two texts is much faster than the expression.
  return json.includes("\\ud") || json.includes("\\uD") ? json.replace(loneSurrogate, "$1\uFFFD") : json;
}

/** An escaped pair, or an escaped half, with the escaped backslashes before it. */
const escapedSurrogate = /(?<!\\)((?:\\\\)*)(?:(\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2})|\\ud[89a-f][0-9a-f]{2})/gi;

/**
 * A text that may be JSON of another program, which also escapes complete pairs. Only the escaped halves are replaced: the digits of numbers,
 * repeated names and spaces stay as they are.
 */
function wellFormedText(text: string): string {
  const whole = text.toWellFormed();
  if (!/\\ud/i.test(whole) || !/^\s*[[{]/.test(whole) || parseJson(whole) === undefined) return whole;
  return whole.replace(escapedSurrogate, (_found, before: string, pair?: string) => `${before}${pair ?? "\uFFFD"}`);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The value with well-formed texts, names included. Returns the value itself if all of them are. */
export function wellFormed<T>(value: T): T {
  return cleaned(value) as T;
}

function cleaned(value: unknown): unknown {
  if (typeof value === "string") return wellFormedText(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = (value as unknown[]).map(cleaned);
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  if (!isPlain(value)) return value;
  const entries = Object.entries(value as Record<string, unknown>);
  const clean = entries.map(([name, inner]) => [name.toWellFormed(), cleaned(inner)] as const);
  const isSame = clean.every(([name, inner], at) => name === entries[at]?.[0] && inner === entries[at][1]);
  return isSame ? value : Object.fromEntries(clean);
}
