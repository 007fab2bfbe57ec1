// The deaths that a run of the fault suites tries: all different ones with FAULTS=all, otherwise those that a seed chooses. FAULT_SEED repeats
// a choice.

import { inject } from "vitest";

import type { Death } from "../worker/fault-plan.ts";

const modes = ["kept", "lost", "rung"] as const;

/** Whether every death is tried. */
export const tryAll = (): boolean => inject("faults").all;

/** How often each point is reached. `life` has the reached points, in order. */
function hits(life: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const point of life) counts.set(point, (counts.get(point) ?? 0) + 1);
  return counts;
}

/**
 * The deaths to try for an object that reaches the points in `life`. With FAULTS=all: at each point the first and the last time it is
 * reached, in each mode. Otherwise one death, at one of the times and in one of the modes, at each point that is not `known`. If `oneIn` is
 * given, also at about one in `oneIn` of the known points, and at least one death.
 */
export function deathsIn(life: readonly string[], known: ReadonlySet<string> = new Set(), oneIn = Infinity): Death[] {
  if (tryAll()) {
    return [...hits(life)].flatMap(([point, count]) =>
      [...new Set([1, count])].flatMap((hit) => modes.map((mode) => ({ point, hit, mode }))),
    );
  }
  const counts = [...hits(life)];
  const isChosen = ([point]: [string, number]) => !known.has(point) || (oneIn !== Infinity && below(oneIn) === 0);
  const chosen = counts.filter(isChosen);
  if (chosen.length === 0 && oneIn !== Infinity) chosen.push(...counts.slice(0, 1));
  return chosen.map(([point, count]) => ({ point, hit: 1 + below(count), mode: modes[below(modes.length)] ?? "kept" }));
}

let state: number | null = null;

/** A whole number below `limit` that follows from the seed and the earlier calls (mulberry32). */
function below(limit: number): number {
  state = ((state ?? inject("faults").seed) + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
}
