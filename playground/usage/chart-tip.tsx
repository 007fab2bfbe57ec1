// The figures of the day under the pointer. The bar's label has the same content, so the tip is hidden from screen
// readers.

import type { ReactElement } from "react";

import { amountWords } from "./bar-words.ts";
import { dayText } from "./days.ts";
import { SeriesMark } from "./series-mark.tsx";
import type { Bar, Series } from "./series.ts";
import type { Measure } from "./usage-choice.ts";

import css from "./chart.module.css";

/** The width of the tip in pixels. */
const tipWidth = 232;

/** The number of lines; the others are in the table. */
const most = 8;

interface ChartTipProps {
  bar: Bar;
  series: readonly Series[];
  measure: Measure;
  /** The day is not over. */
  sofar: boolean;
  /** The middle of the bar, and the width of the chart, in pixels. */
  at: number;
  room: number;
}

/** The tip, on the side of the bar where there is space. */
export function ChartTip({ bar, series, measure, sofar, at, room }: ChartTipProps): ReactElement {
  const behind = at + 14;
  const left = behind + tipWidth <= room ? behind : Math.max(0, at - 14 - tipWidth);
  const placeOf = (name: string): number => series.find((one) => one.name === name)?.place ?? 0;
  const hidden = bar.entries.length - most;
  return (
    <div className={css["tip"]} aria-hidden="true" style={{ left, width: Math.min(tipWidth, room) }}>
      <p className={css["tipDay"]}>
        {dayText(bar.day)}
        {sofar ? <span className={css["sofar"]}> so far</span> : null}
      </p>
      {bar.entries.length === 0 ? (
        <p className={css["nothing"]}>Nothing ran.</p>
      ) : (
        <>
          <ul>
            {bar.entries.slice(0, most).map((entry) => (
              <li key={entry.name} className={css["tipLine"]}>
                <SeriesMark place={placeOf(entry.name)} />
                <span className={css["tipName"]}>{entry.name}</span>
                <span>{amountWords(entry, measure)}</span>
              </li>
            ))}
          </ul>
          {hidden > 0 ? <p className={css["nothing"]}>and {hidden} more</p> : null}
          <p className={css["tipTotal"]}>
            <span>All</span>
            <span>{amountWords(bar, measure)}</span>
          </p>
        </>
      )}
    </div>
  );
}
