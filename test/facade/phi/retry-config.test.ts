// The delays between the attempts of one request.

import fc from "fast-check";
import { expect, it } from "vitest";

import { LoopError } from "#facade/phi/loop-error.ts";
import { defaultRetryConfig, delayForAttempt, retryConfigOf } from "#facade/phi/provider/retry-config.ts";

it("The default is 3 attempts after the first, from 1 s on, doubled up to 30 s (REQ-013)", () => {
  expect(retryConfigOf()).toEqual({
    max_retries: 3,
    initial_delay_ms: 1000,
    backoff_multiplier: 2,
    max_delay_ms: 30_000,
  });
  expect(retryConfigOf({ max_retries: 0 })).toEqual({ ...defaultRetryConfig(), max_retries: 0 });
  expect([1, 2, 3, 4, 5, 6, 60].map((attempt) => delayForAttempt(defaultRetryConfig(), attempt, 0.5))).toEqual([
    1000, 2000, 4000, 8000, 16_000, 30_000, 30_000,
  ]);
});

it("10,000 delays with jitter lie within 20 % of the delay, reach both ends and have its mean (REQ-071)", () => {
  const delays = Array.from({ length: 10_000 }, () => delayForAttempt(defaultRetryConfig(), 2));
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(1600);
  expect(Math.max(...delays)).toBeLessThanOrEqual(2400);
  expect(Math.min(...delays)).toBeLessThan(1640);
  expect(Math.max(...delays)).toBeGreaterThan(2360);
  const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length;
  expect(Math.abs(mean - 2000)).toBeLessThan(20);
});

it("A delay is never above the longest one and its jitter, whatever the config", () => {
  fc.assert(
    fc.property(
      fc.record({
        max_retries: fc.nat(),
        initial_delay_ms: fc.nat({ max: 100_000 }),
        backoff_multiplier: fc.double({ min: 0.01, max: 100, noNaN: true }),
        max_delay_ms: fc.nat({ max: 100_000 }),
      }),
      fc.integer({ min: 1, max: 2000 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (config, attempt, random) => {
        const delay = delayForAttempt(config, attempt, random);
        expect(Number.isSafeInteger(delay)).toBe(true);
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThanOrEqual(Math.round(config.max_delay_ms * 1.2));
      },
    ),
    { verbose: true },
  );
});

it("An initial delay of 0 stays 0, also if the factor of a late attempt is infinite", () => {
  expect(delayForAttempt(retryConfigOf({ initial_delay_ms: 0 }), 2000, 0.5)).toBe(0);
});

it.each([
  [{ max_retries: -1 }, "`max_retries` of the retry config is -1. It has to be a whole number of at least 0."],
  [{ max_retries: 1.5 }, "`max_retries`"],
  [{ initial_delay_ms: Number.NaN }, "`initial_delay_ms`"],
  [{ max_delay_ms: "30" }, '`max_delay_ms` of the retry config is "30".'],
  [{ backoff_multiplier: 0 }, "`backoff_multiplier` of the retry config is 0. It has to be a number above 0."],
  [{ retries: 3 }, "There is no field `retries` of the retry config. The fields are max_retries,"],
])("The retry config %j is refused by name", (config, message) => {
  expect(() => retryConfigOf(config as never)).toThrow(LoopError);
  expect(() => retryConfigOf(config as never)).toThrow(message);
});

it("An attempt that is no whole number above 0 has no delay", () => {
  for (const attempt of [0, -1, 1.5, Number.NaN])
    expect(() => delayForAttempt(defaultRetryConfig(), attempt)).toThrow("`attempt` is");
});
