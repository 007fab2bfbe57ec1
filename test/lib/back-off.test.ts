// The back-off that clients, subscriptions, model requests and background tasks share.

import { describe, expect, it } from "vitest";

import { backOffMs } from "#lib/back-off.ts";

const bounds = { first: 100, longest: 5000 };

describe("the wait after failures in a row", () => {
  it("The back-off delay doubles with each failure in a row and never exceeds the longest delay", () => {
    const waits = [1, 2, 3, 6, 7, 5000].map((failures) => backOffMs(failures, bounds));
    expect(waits).toEqual([100, 200, 400, 3200, 5000, 5000]);
  });

  it("The back-off delay grows with each failure in a row by the factor that the caller gives", () => {
    expect([1, 2, 3].map((failures) => backOffMs(failures, { ...bounds, growth: 3 }))).toEqual([100, 300, 900]);
    expect(backOffMs(9, { ...bounds, growth: 1 })).toBe(100);
  });

  it("The back-off delay is multiplied by the jitter after the limit is applied, and is a whole number", () => {
    expect(backOffMs(1, bounds, 0)).toBe(0);
    expect(backOffMs(2, bounds, 0.333)).toBe(67);
    expect(backOffMs(60, bounds, 1.2)).toBe(6000);
  });
});
