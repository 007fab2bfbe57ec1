// How long a provider asks its clients to wait.

import { expect, it } from "vitest";

import { readAskedWait } from "#models/retry-after.ts";

const now = Date.UTC(2026, 10, 21, 12, 0, 0);
const none = { headers: null, body: null, sentence: "" };
const wait = (headers: Record<string, string>) => readAskedWait({ ...none, headers: new Headers(headers) }, now).ms;

it.for([
  [{ "retry-after": "7" }, 7_000],
  [{ "retry-after": "0.5" }, 500],
  [{ "retry-after": "0" }, 0],
  [{ "retry-after": "99999" }, 3_600_000],
  [{ "retry-after": "Sat, 21 Nov 2026 12:00:30 GMT" }, 30_000],
  [{ "retry-after": "Sat, 21 Nov 2026 11:00:00 GMT" }, 0],
  [{ "retry-after": "Mon, 21 Nov 2033 12:00:00 GMT" }, 3_600_000],
  [{ "retry-after-ms": "1250" }, 1_250],
  [{ "retry-after-ms": "1250", "retry-after": "7" }, 7_000],
  [{ "retry-after-ms": "0", "retry-after": "1" }, 1_000],
  [{ "retry-after-ms": "soon", "retry-after": "7" }, 7_000],
  [{ "retry-after": "soon" }, null],
  [{ "retry-after": "-5" }, null],
  [{ "retry-after": "" }, null],
  [{}, null],
] as const)("A Retry-After of %j is read as %d ms, never more than an hour", ([headers, milliseconds]) => {
  expect(wait(headers)).toBe(milliseconds);
});

it("An error without a response has no Retry-After", () => {
  expect(readAskedWait(none, now)).toEqual({ ms: null, tooLong: false });
});

it("The field retryDelay of an error's body is read as a duration, of an hour at most", () => {
  const read = (retryDelay: string) => readAskedWait({ ...none, body: { details: [{ retryDelay }] } }, now);
  expect(read("34.5s")).toEqual({ ms: 34_500, tooLong: false });
  expect(read("9000s")).toEqual({ ms: 3_600_000, tooLong: true });
  expect(read("soon")).toEqual({ ms: null, tooLong: false });
});
