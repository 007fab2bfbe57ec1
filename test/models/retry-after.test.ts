// How long a provider asks us to wait.

import { expect, it } from "vitest";

import { parseDuration, parseRetryAfter } from "#models/retry-after.ts";

const now = Date.UTC(2026, 10, 21, 12, 0, 0);
const wait = (headers: Record<string, string>) => parseRetryAfter(new Headers(headers), now);

it.for([
  [{ "retry-after": "7" }, 7_000],
  [{ "retry-after": "0.5" }, 500],
  [{ "retry-after": "0" }, 0],
  [{ "retry-after": "99999" }, 3_600_000],
  [{ "retry-after": "Sat, 21 Nov 2026 12:00:30 GMT" }, 30_000],
  [{ "retry-after": "Sat, 21 Nov 2026 11:00:00 GMT" }, 0],
  [{ "retry-after": "Mon, 21 Nov 2033 12:00:00 GMT" }, 3_600_000],
  [{ "retry-after-ms": "1250", "retry-after": "7" }, 1_250],
  [{ "retry-after-ms": "soon", "retry-after": "7" }, 7_000],
  [{ "retry-after": "soon" }, null],
  [{ "retry-after": "-5" }, null],
  [{ "retry-after": "" }, null],
  [{}, null],
] as const)("CLASS11: %j is %d ms, never more than an hour", ([headers, milliseconds]) => {
  expect(wait(headers)).toBe(milliseconds);
});

it("CLASS11: without an answer there is nothing to wait for", () => {
  expect(parseRetryAfter(null, now)).toBeNull();
});

it("CLASS12: a wait inside a body is read as a duration", () => {
  expect([parseDuration("34.5s"), parseDuration("9000s"), parseDuration("soon")]).toEqual([34_500, 3_600_000, null]);
});
