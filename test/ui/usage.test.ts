// Functions of the usage page: days, choices in the address, texts of amounts, the stacked bars of the chart, and sorted rows.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { changeText, costText, nothing, sumOf } from "#playground/usage/amount.ts";
import type { Amount } from "#playground/usage/amount.ts";
import { barWords } from "#playground/usage/bar-words.ts";
import { chartScale } from "#playground/usage/chart-scale.ts";
import { daysBefore, daysOf, isDay, later, rangeWords, spanOf } from "#playground/usage/days.ts";
import { barsOf, restPlace, seriesOf } from "#playground/usage/series.ts";
import type { Entry } from "#playground/usage/series.ts";
import { sorted } from "#playground/usage/sortable-table.tsx";
import { readChoice } from "#playground/usage/usage-choice.ts";

const entry = (day: string, name: string, more: Partial<Amount> = {}): Entry => ({
  ...nothing,
  runs: 1,
  tokens: 10,
  day,
  name,
  ...more,
});

describe("days", () => {
  it("Days of a usage report are counted across the ends of months and years and across clock changes, and an invalid date is no day", () => {
    expect(daysOf("2024-02-28", "2024-03-01")).toEqual(["2024-02-28", "2024-02-29", "2024-03-01"]);
    expect(daysOf("2026-03-02", "2026-03-01")).toEqual([]);
    expect(spanOf("2026-12-31", "2027-01-01")).toBe(2);
    expect(later("2026-03-29", 1)).toBe("2026-03-30");
    expect(["2026-02-29", "2026-2-1", "", "now", "2026-02-28T00:00"].filter(isDay)).toEqual([]);
    expect(rangeWords("2026-10-23", "2026-11-21")).toMatch(/^23 Oct\s–\s21 Nov 2026$/);
  });

  it("Invalid values in the address of the usage page count as missing", () => {
    const read = (query: string) => readChoice(new URLSearchParams(query), "2026-11-21");
    const usual = {
      preset: 30,
      from: "2026-10-23",
      to: "2026-11-21",
      by: "agent",
      measure: null,
      only: null,
      day: null,
    };
    expect(read("")).toEqual(usual);
    for (const wrong of [
      "days=8",
      "from=2026-11-01",
      "from=2026-02-31&to=2026-03-01",
      "from=2026-11-02&to=2026-11-01",
    ]) {
      expect([wrong, read(`${wrong}&by=user&measure=x&day=2020-01-01`)]).toEqual([wrong, usual]);
    }
    expect(read("days=90&by=model&measure=cost&only=a&day=2026-11-21")).toEqual({
      preset: 90,
      from: "2026-08-24",
      to: "2026-11-21",
      by: "model",
      measure: "cost",
      only: "a",
      day: "2026-11-21",
    });
    expect(read("from=2020-01-01&to=2020-01-02&days=7&day=2020-01-02")).toMatchObject({
      preset: null,
      from: "2020-01-01",
      to: "2020-01-02",
      day: "2020-01-02",
    });
  });
});

describe("amounts", () => {
  it("The usage page shows an incomplete cost as unknown or as at least its known part, and never as zero", () => {
    expect(costText({ cost: 0, known: 0 })).toBe("$0");
    expect(costText({ cost: 1.5, known: 1.5 })).toBe("$1.50");
    expect(costText({ cost: null, known: 1.5 })).toBe("at least $1.50");
    expect(costText({ cost: null, known: 0 })).toBe("unknown");
    const sum = sumOf([entry("", "a", { cost: 1, known: 1 }), entry("", "b", { cost: null, known: 0.5 })]);
    expect(sum).toMatchObject({ runs: 2, tokens: 20, cost: null, known: 1.5 });
    const bar = barsOf(["2026-11-21"], {
      entries: [entry("2026-11-21", "a", { cost: null })],
      series: [],
      measure: "cost",
    })[0];
    expect(bar && barWords(bar, "cost", true)).toBe("Sat, 21 Nov 2026, so far: unknown; a unknown");
  });

  it("The usage page compares the shown days with the same number of days before them", () => {
    expect(daysBefore("2026-03-01", "2026-03-07")).toEqual({ from: "2026-02-22", to: "2026-02-28" });
    expect(daysBefore("2026-03-01", "2026-03-01")).toEqual({ from: "2026-02-28", to: "2026-02-28" });
  });

  it("The usage page shows a change against the period before only if both amounts are known", () => {
    expect(changeText(12, 10)).toBe("+20 %");
    expect(changeText(5, 10)).toBe("−50 %");
    expect(changeText(0, 10)).toBe("−100 %");
    expect(changeText(10, 10)).toBe("as before");
    expect(changeText(0, 0)).toBe("as before");
    expect(changeText(3, 0)).toBe("none before");
    expect(changeText(120, 10)).toBe("12 times");
    expect([changeText(null, 1), changeText(1, null)]).toEqual([null, null]);
  });
});

describe("a chart", () => {
  const days = daysOf("2026-11-01", "2026-11-05");
  const anyEntries = fc.uniqueArray(
    fc.record({
      day: fc.constantFrom(...days),
      name: fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h", "i"),
      tokens: fc.integer({ min: 0, max: 1e9 }),
      known: fc.integer({ min: 0, max: 1e6 }),
    }),
    { selector: ({ day, name }) => `${day} ${name}` },
  );

  it("A bar of the usage chart contains each entry's amount once, six entries separately and the others together", () => {
    fc.assert(
      fc.property(anyEntries, fc.constantFrom("cost" as const, "tokens" as const), (some, measure) => {
        const entries = some.map(({ day, name, ...more }) => entry(day, name, more));
        const series = seriesOf(entries);
        expect(series.map(({ place }) => place)).toEqual(series.map((_, at) => Math.min(at, restPlace)));
        const bars = barsOf(days, { entries, series, measure });
        expect(bars.map(({ day }) => day)).toEqual(days);
        for (const bar of bars) {
          const amounts = bar.entries.map((one) => (measure === "cost" ? one.known : one.tokens));
          expect(bar.parts.at(-1)?.to ?? 0).toBe(amounts.reduce((sum, amount) => sum + amount, 0));
          let ground = 0;
          for (const part of bar.parts) {
            expect(part.from).toBe(ground);
            ground = part.to;
          }
          expect(new Set(bar.parts.map(({ place }) => place)).size).toBe(bar.parts.length);
        }
      }),
    );
  });

  it("The entries of the usage chart are sorted by cost, then by tokens, also if the chart shows tokens", () => {
    const entries = [
      entry("2026-11-01", "cheap", { known: 1, tokens: 900 }),
      entry("2026-11-02", "dear", { known: 5, tokens: 1 }),
      entry("2026-11-01", "free", { tokens: 2 }),
      entry("2026-11-02", "freer", { tokens: 3 }),
    ];
    expect(seriesOf(entries).map(({ name }) => name)).toEqual(["dear", "cheap", "freer", "free"]);
  });

  it("The bars of the usage chart stay within the chart, at any width and number of days", () => {
    fc.assert(
      fc.property(
        anyEntries,
        fc.integer({ min: 1, max: 366 }),
        fc.integer({ min: 1, max: 1600 }),
        (some, length, width) => {
          const all = daysOf("2026-11-01", later("2026-11-01", length - 1));
          const entries = some.map(({ day, name, ...more }) => entry(day, name, more));
          const bars = barsOf(all, { entries, series: seriesOf(entries), measure: "cost" });
          const scale = chartScale(bars, { width, height: 264, measure: "cost" });
          for (const bar of bars) {
            const tall = scale.heightOf(bar.parts.at(-1)?.to ?? 0);
            expect(tall).toBeGreaterThanOrEqual(0);
            expect(tall).toBeLessThanOrEqual(scale.ground);
            expect(scale.barOf(bar.day)).toBeGreaterThanOrEqual(scale.left);
            expect(scale.barOf(bar.day) + scale.bar).toBeLessThanOrEqual(scale.right + 1e-6);
          }
          const labels = scale.rows.map(({ label }) => label);
          expect(new Set(labels).size).toBe(labels.length);
        },
      ),
    );
  });
});

describe("rows", () => {
  it("Rows of a usage table are sorted in both directions, with unknown amounts last", () => {
    const rows = [{ cost: 2 }, { cost: null }, { cost: 10 }, { cost: 0 }];
    const by = { value: ({ cost }: { cost: number | null }) => cost };
    expect(sorted(rows, by, true).map(({ cost }) => cost)).toEqual([10, 2, 0, null]);
    expect(sorted(rows, by, false).map(({ cost }) => cost)).toEqual([0, 2, 10, null]);
    const names = ["b", "a", "B"].map((name) => ({ name }));
    expect(sorted(names, { value: ({ name }) => name }, false).map(({ name }) => name)).toEqual(["B", "a", "b"]);
  });
});
