// The horizontal position of a time in the trace. Time is drawn to scale except for waits: an hour of waiting for a
// person would shrink the seconds of work before and after it to one pixel. So a long wait is folded to a narrow strip
// that is labelled with its real length.

import { nodesOf } from "./trace-node.ts";
import type { RunNode } from "./trace-node.ts";
import { isWait, union } from "./trace-summary.ts";
import type { Interval } from "./trace-summary.ts";

/** A folded wait: its position, and its real length in milliseconds. */
interface Fold {
  from: number;
  to: number;
  ms: number;
}

/** A mark of the axis: milliseconds since the run started, or since the end of the fold before it if `again` is true. */
interface Tick {
  at: number;
  ms: number;
  again: boolean;
}

/** The axis. Positions are shares of the width, 0 to 1. */
export interface TimeAxis {
  at: (time: number) => number;
  ticks: readonly Tick[];
  folds: readonly Fold[];
}

/** The width of a folded wait, and the largest width of all folded waits together. */
const foldWidth = 0.08;
const foldsAtMost = 0.4;

/** A wait is folded if it is longer than this factor times all work together. */
const foldBeyond = 1;

const ticksWanted = 6;
const tickRoom = 0.09;

/** The axis of a trace; `now` is the end of what is still running. Microseconds. */
export function timeAxis(root: RunNode, now: number): TimeAxis {
  const { start } = root;
  const end = Math.max(root.end ?? now, start + 1000);
  const busy: Interval[] = [];
  const waits: Interval[] = [];
  for (const node of nodesOf(root)) {
    if (node.kind === "run" || node.kind === "step" || node.kind === "note") continue;
    (isWait(node) ? waits : busy).push([node.start, node.end ?? now]);
  }
  return axisOf([start, end], idleOf(waits, busy));
}

/** The times in which the run only waited. */
export function idleOf(waits: readonly Interval[], busy: readonly Interval[]): Interval[] {
  // Only what is running and is not itself a wait counts as work.
  const work = union(busy);
  return union(waits).flatMap(([from, to]) => {
    let pieces: Interval[] = [[from, to]];
    for (const [start, end] of work) {
      pieces = pieces.flatMap(([a, b]): Interval[] =>
        end <= a || start >= b
          ? [[a, b]]
          : [...(start > a ? [[a, start] as const] : []), ...(end < b ? [[end, b] as const] : [])],
      );
    }
    return pieces;
  });
}

/** The axis of an interval with idle parts. */
export function axisOf([start, end]: Interval, idle: readonly Interval[]): TimeAxis {
  const inside = idle.map(([from, to]): Interval => [Math.max(from, start), Math.min(to, end)]);
  const idleLength = inside.reduce((sum, [from, to]) => sum + Math.max(0, to - from), 0);
  const work = Math.max(end - start - idleLength, 1000);
  const folded = inside.filter(([from, to]) => to - from > work * foldBeyond);
  const drawn = end - start - folded.reduce((sum, [from, to]) => sum + (to - from), 0);
  // If the run did nothing but wait, the folds take the whole width.
  const width = drawn > 0 ? Math.min(foldWidth, foldsAtMost / Math.max(1, folded.length)) : 1 / folded.length;
  const scale = drawn > 0 ? (1 - width * folded.length) / drawn : 0;
  const at = (time: number): number => {
    const clamped = Math.min(Math.max(time, start), end);
    let place = (clamped - start) * scale;
    for (const [from, to] of folded) {
      if (clamped <= from) break;
      const within = Math.min(clamped, to) - from;
      place += (within / (to - from)) * width - within * scale;
    }
    return Math.min(1, Math.max(0, place));
  };
  const folds = folded.map(([from, to]) => ({ from: at(from), to: at(to), ms: (to - from) / 1000 }));
  return { at, folds, ticks: ticksOf({ start, end, at, folded, shown: drawn / 1000 }) };
}

interface Shown {
  start: number;
  end: number;
  at: (time: number) => number;
  folded: readonly Interval[];
  /** Milliseconds that are drawn to scale. */
  shown: number;
}

/** Round times since the start; after a fold, since its end. Ticks within a fold are skipped. */
function ticksOf({ start, end, at, folded, shown }: Shown): Tick[] {
  const step = roundStep(shown / ticksWanted);
  const ticks: Tick[] = [];
  const walk = (from: number, to: number, again: boolean): void => {
    for (let ms = again ? step : 0; from + ms * 1000 <= to; ms += step) {
      const place = at(from + ms * 1000);
      const last = ticks.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
      if (place - last >= tickRoom && place <= 1 - tickRoom / 2) ticks.push({ at: place, ms, again });
    }
  };
  let from = start;
  for (const [begin, until] of folded) {
    walk(from, begin, from !== start);
    from = until;
  }
  walk(from, end, from !== start);
  return ticks;
}

/** The next of 1, 2, 5, 10 and so on; for minutes and hours, the steps of clocks. */
function roundStep(ms: number): number {
  const steps = [30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 86_400_000];
  if (ms > 10_000) return steps.find((step) => step >= ms) ?? 7 * 86_400_000;
  const power = 10 ** Math.floor(Math.log10(Math.max(ms, 1)));
  return ([1, 2, 5, 10].find((factor) => factor * power >= ms) ?? 10) * power;
}
