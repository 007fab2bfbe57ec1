// The head of a trace's chart: time marks, lengths of folded waits, and the names of the columns.

import { useEffect, useRef, useState } from "react";
import type { ReactElement } from "react";

import { axisLabels } from "./axis-labels.ts";
import type { AxisSize } from "./axis-labels.ts";
import type { TimeAxis } from "./time-axis.ts";

import css from "./trace.module.css";

const ruler = "0000000000";

export function TraceAxis({ axis }: { axis: TimeAxis }): ReactElement {
  const scale = useRef<HTMLDivElement>(null);
  const characters = useRef<HTMLSpanElement>(null);
  const [size, setSize] = useState<AxisSize | null>(null);
  useEffect(() => {
    const measure = (): void => {
      const width = scale.current?.getBoundingClientRect().width ?? 0;
      const character = (characters.current?.getBoundingClientRect().width ?? 0) / ruler.length;
      if (width > 0 && character > 0) setSize({ width, character });
    };
    // The measured text is observed too, because its width changes when the font is loaded.
    const observer = new ResizeObserver(measure);
    if (scale.current !== null) observer.observe(scale.current);
    if (characters.current !== null) observer.observe(characters.current);
    return () => observer.disconnect();
  }, []);
  return (
    <div className={css["axis"]} aria-hidden="true">
      <div ref={scale} className={css["scale"]}>
        <span ref={characters} className={css["ruler"]}>
          {ruler}
        </span>
        {size === null
          ? null
          : axisLabels(axis, size).map(({ text, left, of }) => (
              <span key={`${of} ${left}`} className={css["tick"]} data-of={of} style={{ left }}>
                {text}
              </span>
            ))}
      </div>
      <span className={css["column"]} data-of="tokens">
        tokens
      </span>
      <span className={css["column"]}>duration</span>
    </div>
  );
}
