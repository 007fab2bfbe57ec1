// Decides which calls of a step wait for which others. A pure graph: the executor starts a call when all it waits for are
// done.

import type { ToolMode } from "../ports/step-port.ts";

/** What the schedule needs to know of a call, in call order. */
export interface Schedulable {
  name: string;
  /** Declared to run alone. */
  sequential: boolean;
  /** Somebody outside answers it: it is asked when the others are done, and keeps nobody waiting who does not depend on it. */
  remote?: boolean;
  /** Another thread works on it, and what is asked outside need not wait for that. */
  elsewhere?: boolean;
  /** Tool names that come first; a name that is not called in this step counts as met (decision 29). */
  dependsOn: readonly string[];
}

/** For each call the indexes of those it waits for, and whether a cycle had to be cut. */
export interface Schedule {
  waitsFor: ReadonlySet<number>[];
  cycle: boolean;
}

/**
 * The graph of a step's calls. Dependencies decide the order, call order where they leave it open; whatever must not run
 * side by side then runs in that order. The calls of a true cycle, and what depends on them, run last, in call order.
 */
export function schedule(calls: readonly Schedulable[], mode: ToolMode): Schedule {
  const { order, cut } = ordered(calls);
  const waitsFor = calls.map((): Set<number> => new Set());
  order.forEach((at, place) => {
    order.slice(0, place).forEach((other, otherPlace) => {
      const follows = dependsOn(calls, at, other) || (!isRemote(other) && (cut.has(at) || apart(calls, { at, other })));
      const asked = isRemote(at) ? calls[other]?.elsewhere !== true : later(mode, place, otherPlace);
      if (follows || (!isRemote(other) && asked)) waitsFor[at]?.add(other);
    });
  });
  function isRemote(at: number): boolean {
    return calls[at]?.remote === true;
  }
  return { waitsFor, cycle: cut.size > 0 };
}

/** The calls in an order that keeps every dependency, what others answer behind what runs here, and those of a cycle. */
function ordered(calls: readonly Schedulable[]): { order: number[]; cut: ReadonlySet<number> } {
  const order: number[] = [];
  const waiting = new Set(calls.keys());
  const left = new Map<string, number>();
  for (const { name } of calls) left.set(name, (left.get(name) ?? 0) + 1);
  for (;;) {
    const next = firstFree(calls, waiting, left);
    if (next === undefined) return { order: [...order, ...waiting], cut: waiting };
    const { name = "" } = calls[next] ?? {};
    left.set(name, (left.get(name) ?? 0) - 1);
    waiting.delete(next);
    order.push(next);
  }
}

/**
 * The first of the waiting calls that depends on none of them, one that runs here before one that others answer. `left` counts
 * the waiting calls by name: to compare each call with each other one would take minutes for an answer of a thousand calls.
 */
function firstFree(
  calls: readonly Schedulable[],
  waiting: ReadonlySet<number>,
  left: ReadonlyMap<string, number>,
): number | undefined {
  let remote: number | undefined;
  for (const at of waiting) {
    const call = calls[at];
    const isFree = call?.dependsOn.every((name) => (left.get(name) ?? 0) === (name === call.name ? 1 : 0));
    if (isFree === true && call?.remote !== true) return at;
    if (isFree === true) remote ??= at;
  }
  return remote;
}

function dependsOn(calls: readonly Schedulable[], at: number, other: number): boolean {
  return at !== other && calls[at]?.dependsOn.includes(calls[other]?.name ?? "") === true;
}

/** One of the two was declared to run alone. */
function apart(calls: readonly Schedulable[], { at, other }: { at: number; other: number }): boolean {
  return calls[at]?.sequential === true || calls[other]?.sequential === true;
}

/** The mode puts the two one after the other; a batch of less than one is one. */
function later(mode: ToolMode, place: number, otherPlace: number): boolean {
  if (typeof mode === "string") return mode === "sequential";
  const size = Math.max(1, Math.trunc(mode.batched) || 1);
  return Math.floor(otherPlace / size) < Math.floor(place / size);
}
