// The bars of the chart, as a list of days for keyboard and screen readers. Usage without a known price is an open,
// dashed frame on top of its bar: there is more, of an unknown amount.

import { memo, useRef } from "react";
import type { KeyboardEvent, ReactElement } from "react";

import type { ChartScale } from "./chart-scale.ts";
import { patternOf } from "./series-mark.tsx";
import type { Bar } from "./series.ts";
import type { Measure } from "./usage-choice.ts";

import css from "./chart.module.css";
import marks from "./series-mark.module.css";

/** The height of the frame for unknown costs, in pixels. */
const unknownHeight = 12;

/** The width of the narrowest bar in which a pattern can be recognised, in pixels. */
const patternFrom = 4;

interface ChartBarsProps {
  label: string;
  bars: readonly Bar[];
  scale: ChartScale;
  measure: Measure;
  wordsOf: (bar: Bar) => string;
  pointed: string | null;
  picked: string | null;
  onPoint: (day: string | null) => void;
  onPick: (day: string | null) => void;
}

/** The number of days that a key moves. */
const steps: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  PageUp: -7,
  PageDown: 7,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

export function ChartBars(props: ChartBarsProps): ReactElement {
  const { label, bars, scale, measure, wordsOf, pointed, picked, onPoint, onPick } = props;
  const list = useRef<SVGGElement>(null);
  const last = bars.at(-1)?.day;
  const reachable = [picked, pointed, last].find((day) => bars.some((bar) => bar.day === day));
  const press = (event: KeyboardEvent, at: number): void => {
    const step = steps[event.key];
    if (step !== undefined) {
      const next = Math.min(Math.max(at + step, 0), bars.length - 1);
      list.current?.querySelectorAll<SVGGElement>("[role=option]")[next]?.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      pick(bars[at]?.day);
    } else return;
    event.preventDefault();
  };
  const pick = (day: string | undefined): void => {
    if (day !== undefined) onPick(day === picked ? null : day);
  };
  return (
    <g ref={list} role="listbox" aria-label={label} aria-orientation="horizontal">
      {bars.map((bar, at) => (
        <g
          key={bar.day}
          role="option"
          className={css["day"]}
          data-day={bar.day}
          aria-label={wordsOf(bar)}
          aria-selected={bar.day === picked}
          tabIndex={bar.day === reachable ? 0 : -1}
          onFocus={() => onPoint(bar.day)}
          onBlur={() => onPoint(null)}
          onPointerEnter={() => onPoint(bar.day)}
          onKeyDown={(event) => press(event, at)}
          onClick={() => pick(bar.day)}
        >
          <rect
            className={css["slot"]}
            x={scale.slotOf(bar.day)}
            y={0}
            width={scale.slot}
            height={scale.ground}
            data-pointed={bar.day === pointed}
          />
          <Parts bar={bar} scale={scale} measure={measure} />
        </g>
      ))}
    </g>
  );
}

const Parts = memo(function Parts({ bar, scale, measure }: { bar: Bar; scale: ChartScale; measure: Measure }) {
  const x = scale.barOf(bar.day);
  const top = scale.ground - scale.heightOf(bar.parts.at(-1)?.to ?? 0);
  return (
    <>
      {bar.parts.map(({ place, from, to }) => {
        const tall = scale.heightOf(to) - scale.heightOf(from);
        return (
          <g key={place} className={`${marks["mark"] ?? ""} ${css["part"] ?? ""}`} data-place={place}>
            <rect
              className={css["fill"]}
              x={x}
              y={scale.ground - scale.heightOf(to)}
              width={scale.bar}
              // Even a very small part stays visible.
              height={Math.max(tall - (tall > 3 ? 1 : 0), 0.5)}
              fill={scale.bar < patternFrom ? "currentColor" : patternOf(place)}
            />
          </g>
        );
      })}
      {measure === "cost" && bar.cost === null ? (
        <rect
          className={css["unknown"]}
          data-unknown="true"
          x={x + 0.5}
          y={top - unknownHeight - 1.5}
          width={Math.max(scale.bar - 1, 1)}
          height={unknownHeight}
        />
      ) : null}
    </>
  );
});
