// The beginning of texts with characters of several units.

import fc from "fast-check";
import { expect, it } from "vitest";

import { textBeginning } from "#lib/text-beginning.ts";

const family = "👩‍👩‍👧‍👦";

it.each([
  ["abc", 3, "abc"],
  ["abcd", 3, "abc"],
  ["ab😀", 3, "ab"],
  ["ab😀", 4, "ab😀"],
  [`a${family}b`, 5, "a"],
  ["e\u0301e\u0301", 3, "e\u0301"],
  ["🇵🇹🇵🇹", 5, "🇵🇹"],
  ["a\r\nb", 2, "a"],
  ["😀😀", 1, "\ufffd"],
  ["\ud83dabc", 2, "\ufffda"],
])("The beginning of %j with at most %i units is %j", (text, most, beginning) => {
  expect(textBeginning(text, most)).toBe(beginning);
});

it("A beginning is well formed, within its limit, and as long as whole characters permit", () => {
  const seed = Date.now() % 2 ** 31;
  console.info(`seed ${seed}`);
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom(family, "e\u0301", "🇵🇹", "😀"), fc.string({ unit: "grapheme", maxLength: 3 })),
  });
  const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" });
  fc.assert(
    fc.property(text, fc.integer({ min: 12, max: 60 }), (whole, most) => {
      const beginning = textBeginning(whole, most);
      const ends = [...characters.segment(whole)].map(({ index, segment }) => index + segment.length);
      expect(beginning.isWellFormed()).toBe(true);
      expect(beginning).toHaveLength(Math.max(0, ...ends.filter((end) => end <= most)));
    }),
    { seed },
  );
});

it("A character without an end is cut between code points, in bounded work", () => {
  const endless = `a${"\u0301".repeat(1_000_000)}`;
  expect(textBeginning(endless, 300)).toBe(`a${"\u0301".repeat(299)}`);
  expect(textBeginning(`b${endless}`, 300)).toBe("b");
});
