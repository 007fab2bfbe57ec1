// The chart: a bar for each day, divided by agent or model. A day's figures are shown under the pointer, or when the
// arrow keys reach its bar; Enter or a click selects the day.

import { useLayoutEffect, useMemo, useRef, useState } from "react";
import type { ReactElement, RefObject } from "react";

import { barWords } from "./bar-words.ts";
import { ChartBars } from "./chart-bars.tsx";
import { chartScale } from "./chart-scale.ts";
import type { ChartScale } from "./chart-scale.ts";
import { ChartTip } from "./chart-tip.tsx";
import { barsOf } from "./series.ts";
import type { Bar, Entry, Series } from "./series.ts";
import type { Dimension, Measure } from "./usage-choice.ts";

import css from "./chart.module.css";

/** The height in pixels. */
const height = 264;

interface UsageChartProps {
  days: readonly string[];
  entries: readonly Entry[];
  series: readonly Series[];
  by: Dimension;
  measure: Measure;
  today: string;
  /** The highlighted mark. */
  lit: number | null;
  picked: string | null;
  onPick: (day: string | null) => void;
}

export function UsageChart(props: UsageChartProps): ReactElement {
  const { days, entries, series, by, measure, today, lit, picked, onPick } = props;
  const [place, width] = useWidth<HTMLDivElement>();
  const [pointed, setPointed] = useState<string | null>(null);
  const bars = useMemo(() => barsOf(days, { entries, series, measure }), [days, entries, series, measure]);
  const scale = useMemo(() => chartScale(bars, { width, height, measure }), [bars, width, measure]);
  const tipped = bars.find(({ day }) => day === pointed);
  const what = measure === "cost" ? "Cost" : "Tokens";
  return (
    <div
      ref={place}
      className={css["plot"]}
      data-lit={lit ?? undefined}
      onPointerLeave={() => setPointed(null)}
      onKeyDown={(event) => (event.key === "Escape" ? setPointed(null) : undefined)}
    >
      {width === 0 ? null : (
        <svg className={css["chart"]} width={width} height={height} role="presentation">
          <Grid scale={scale} />
          <ChartBars
            label={`${what} by day and ${by}`}
            bars={bars}
            scale={scale}
            measure={measure}
            wordsOf={(bar) => barWords(bar, measure, bar.day === today)}
            pointed={pointed}
            picked={picked}
            onPoint={setPointed}
            onPick={onPick}
          />
          <line className={css["ground"]} x1={scale.left} x2={scale.right} y1={scale.ground} y2={scale.ground} />
        </svg>
      )}
      {tipped === undefined ? null : <Tip bar={tipped} scale={scale} series={series} measure={measure} today={today} />}
    </div>
  );
}

function Grid({ scale: { left, right, ground, rows, names } }: { scale: ChartScale }): ReactElement {
  return (
    <g aria-hidden="true">
      {rows.map(({ at, label }) => (
        <g key={at}>
          <line className={css["row"]} x1={left} x2={right} y1={at} y2={at} />
          <text className={css["label"]} x={left - 8} y={at} dy="0.32em" textAnchor="end">
            {label}
          </text>
        </g>
      ))}
      {names.map(({ at, label, anchor }) => (
        <text key={label + String(at)} className={css["label"]} x={at} y={ground + 18} textAnchor={anchor}>
          {label}
        </text>
      ))}
    </g>
  );
}

interface TipProps {
  bar: Bar;
  scale: ChartScale;
  series: readonly Series[];
  measure: Measure;
  today: string;
}

function Tip({ bar, scale, series, measure, today }: TipProps): ReactElement {
  const middle = scale.barOf(bar.day) + scale.bar / 2;
  return (
    <ChartTip bar={bar} series={series} measure={measure} sofar={bar.day === today} at={middle} room={scale.width} />
  );
}

/** A reference for an element, and its width in whole pixels: 0 before it is measured. */
function useWidth<T extends Element>(): [RefObject<T | null>, number] {
  const place = useRef<T>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const measure = (): void => setWidth(Math.floor(element.getBoundingClientRect().width));
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  return [place, width];
}
