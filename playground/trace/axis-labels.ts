// Chooses the labels of a trace's axis. No label covers another one or leaves the axis; a label without space is left out. Labels of
// folded waits precede time marks, because the axis shows the length of a folded wait only in its label.

import { duration, mark } from "../kit/duration.ts";
import type { TimeAxis } from "./time-axis.ts";

/** A label, and the distance of its text from the left end of the axis, in pixels. */
export interface AxisLabel {
  text: string;
  left: number;
  of: "wait" | "time";
}

/** The width of the axis, and of one character of its labels, in pixels. The font is monospaced. */
export interface AxisSize {
  width: number;
  character: number;
}

/** Pixels between a line of the axis and its label. */
const inset = 5;

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
    // Labels are at least two characters apart, so that two of them do not look like one.
    const gap = 2 * character;
    const isFree = labels.every(({ left, text }) => end + gap <= left || left + lengthOf(text) + gap <= label.left);
    if (isFree && end <= width) labels.push(label);
  }
  return labels;
}
