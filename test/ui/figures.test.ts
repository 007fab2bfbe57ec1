// Times as texts for people.

import { expect, it } from "vitest";

import { clock, clockOrDay, dayAndTime } from "#playground/kit/figures.ts";

it("The playground shows a time of today as the time, a time of another day as the day, and a time of another year as the day and the year", () => {
  const now = new Date(2026, 10, 21, 9, 30).getTime();
  const of = (...parts: [number, number, number, number]): number => new Date(...parts).getTime() * 1000;
  const morning = of(2026, 10, 21, 8);
  expect(clockOrDay(morning, now)).toBe(clock(morning));
  expect(clockOrDay(morning, now)).toBe("08:00:00");
  expect(clockOrDay(of(2026, 10, 20, 23), now)).toBe("20 Nov");
  expect(clockOrDay(of(2025, 10, 21, 8), now)).toBe("21 Nov 25");
  expect(dayAndTime(morning)).toMatch(/Saturday.*21 November 2026.*08:00:00/);
});
