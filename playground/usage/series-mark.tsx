// The marks of agents and models: a pattern and a colour each, the same in bars, tips and tables.

import type { ReactElement } from "react";

import { restPlace } from "./series.ts";

import css from "./series-mark.module.css";

/** The lines of each pattern in a square of 6. The first is plain, because it covers the largest area. */
const lines: readonly string[] = [
  "",
  "M-1 1 1-1M0 6 6 0M5 7 7 5",
  "M1.5 1.5h.01M4.5 4.5h.01",
  "M1.500 0v6M4.500 0v6",
  "M-1 5 1 7M0 0 6 6M5-1 7 1",
  "M0 0 6 6M0 6 6 0",
  "M0 1.500h6M0 4.500h6",
];

/** The address of a mark's pattern. */
export function patternOf(place: number): string {
  return `url(#series-${place})`;
}

/** The definitions of the patterns, rendered once on the page. */
export function SeriesPatterns(): ReactElement {
  return (
    <svg className={css["patterns"]} aria-hidden="true" width="0" height="0" focusable="false">
      <defs>
        {lines.map((path, place) => (
          <pattern key={path} id={`series-${place}`} width="6" height="6" patternUnits="userSpaceOnUse">
            <g className={css["mark"]} data-place={place}>
              <rect className={path === "" ? css["full"] : css["ground"]} width="6" height="6" />
              <path className={css["lines"]} d={path} strokeWidth={place === 2 ? 2.4 : 1.4} />
            </g>
          </pattern>
        ))}
      </defs>
    </svg>
  );
}

/** A mark next to a text. */
export function SeriesMark({ place }: { place: number }): ReactElement {
  return (
    <svg className={css["mark"]} data-place={place} aria-hidden="true" width="14" height="14" focusable="false">
      <rect className={css["edge"]} x="0.5" y="0.5" width="13" height="13" fill={patternOf(place)} />
    </svg>
  );
}

/** The label of the mark that several agents or models share; null for other marks. */
export function placeWords(place: number): string | null {
  return place === restPlace ? "with others" : null;
}
