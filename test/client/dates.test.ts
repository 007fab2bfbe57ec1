// Times of the API as dates.

import { expect, expectTypeOf, it } from "vitest";

import { toDate } from "#client/index.ts";

it("The client converts a time of the API to a Date, and null stays null", () => {
  expect(toDate(1_795_360_906_156_999)).toEqual(new Date("2026-11-22T15:21:46.156Z"));
  expect(toDate(0)).toEqual(new Date(0));
  expect(toDate(null)).toBeNull();
  expectTypeOf(toDate(1)).toEqualTypeOf<Date>();
  expectTypeOf(toDate(null)).toEqualTypeOf<null>();
  const ended: number | null = Math.random() < 2 ? 1000 : null;
  expectTypeOf(toDate(ended as number | null)).toEqualTypeOf<Date | null>();
});
