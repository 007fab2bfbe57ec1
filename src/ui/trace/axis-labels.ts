// The labels of a trace's axis that fit on it. No label covers another one or leaves the axis: one that has no space is left out. A
// folded wait comes before the marks of time, since its length is drawn nowhere else on the axis.

import { duration, mark } from "../kit/duration.ts";
import type { TimeAxis } from "./time-axis.ts";

/** A label, and the pixels from the left end of the axis to its text. */
export interface AxisLabel {
  text: string;
  left: number;
  of: "wait" | "time";
}

/** Pixels: the axis, and one character of its labels, which all have the same width. */
export interface AxisSize {
  width: number;
  character: number;
}

/** Pixels between a line of the axis and its label. */
const inset = 5;

/** The labels. */
export function axisLabels({ ticks, folds }: Pick<TimeAxis, "ticks" | "folds">, size: AxisSize): AxisLabel[] {
  const { width, character } = size;
  const lengthOf = (text: string): number => text.length * character;
  const waits = folds.map(({ from, to, ms }): AxisLabel => {
    const text = duration(ms);
    const centred = ((from + to) / 2) * width - lengthOf(text) / 2;
    return { text, left: Math.max(0, Math.min(centred, width - lengthOf(text))), of: "wait" };
  });
  const times = ticks.map(({ at, ms, again }): AxisLabel => {
    return { text: `${again ? "+" : ""}${mark(ms)}`, left: at * width + inset, of: "time" };
  });
  const labels: AxisLabel[] = [];
  for (const label of [...waits, ...times]) {
    const end = label.left + lengthOf(label.text);
    // Two characters apart, so that two labels are never read as one.
    const gap = 2 * character;
    const isFree = labels.every(({ left, text }) => end + gap <= left || left + lengthOf(text) + gap <= label.left);
    if (isFree && end <= width) labels.push(label);
  }
  return labels;
}
