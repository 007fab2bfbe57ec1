// Decides for each call of a step which other calls have to be finished before it starts. Pure.

import type { ToolMode } from "../ports/step-port.ts";

/** What the schedule needs of a call. */
export interface ScheduledCall {
  name: string;
  /** The tool's definition requires that its calls run alone. */
  sequential: boolean;
  /**
   * The call's result or approval comes from outside. The call starts after the other calls, and only calls that depend on it wait for it.
   */
  remote?: boolean;
  /** A child thread works on the call. Remote calls start without waiting for it. */
  elsewhere?: boolean;
  /** Names of tools whose calls come first. A name that is not called in this step is ignored (decision 29: tool order). */
  dependsOn: readonly string[];
  /** Indexes of the calls in this step that have to finish first. */
  after?: readonly number[];
}

/** For each call the indexes of the calls for which it waits, and whether the dependencies contain a cycle. */
export interface Schedule {
  waitsFor: ReadonlySet<number>[];
  cycle: boolean;
}

/**
 * Makes the graph of a step's calls. The calls are put into an order that keeps their dependencies, and otherwise the order of the answer.
 * Calls that must not run in parallel run one after the other in this order. Calls of a cycle, and calls that depend on them, run last, in
 * the order of the answer.
 */
export function schedule(calls: readonly ScheduledCall[], mode: ToolMode): Schedule {
  const { order, cut } = ordered(calls);
  const waitsFor = calls.map((): Set<number> => new Set());
  order.forEach((at, position) => {
    order.slice(0, position).forEach((other, otherPosition) => {
      const follows = dependsOn(calls, at, other) || (!isRemote(other) && (cut.has(at) || apart(calls, { at, other })));
      const isLater = isRemote(at) ? calls[other]?.elsewhere !== true : later(mode, position, otherPosition);
      if (follows || (!isRemote(other) && isLater)) waitsFor[at]?.add(other);
    });
  });
  function isRemote(at: number): boolean {
    return calls[at]?.remote === true;
  }
  return { waitsFor, cycle: cut.size > 0 };
}

/**
 * Puts the calls into an order that keeps every dependency, remote calls last. `cut` are the calls of a cycle and the calls that depend on
 * them.
 */
function ordered(calls: readonly ScheduledCall[]): { order: number[]; cut: ReadonlySet<number> } {
  const order: number[] = [];
  const waiting = new Set(calls.keys());
  const remaining = new Map<string, number>();
  for (const { name } of calls) remaining.set(name, (remaining.get(name) ?? 0) + 1);
  for (;;) {
    const next = firstFree(calls, waiting, remaining);
    if (next === undefined) return { order: [...order, ...waiting], cut: waiting };
    const { name = "" } = calls[next] ?? {};
    remaining.set(name, (remaining.get(name) ?? 0) - 1);
    waiting.delete(next);
    order.push(next);
  }
}

/**
 * The first unordered call that depends on no other unordered call; a remote call only if there is no other. `waiting` are the unordered
 * calls, and `remaining` counts them by name: to compare each call with each other one would take minutes for an answer with a thousand
 * calls.
 */
function firstFree(
  calls: readonly ScheduledCall[],
  waiting: ReadonlySet<number>,
  remaining: ReadonlyMap<string, number>,
): number | undefined {
  let remote: number | undefined;
  for (const at of waiting) {
    const call = calls[at];
    const isFree =
      call?.dependsOn.every((name) => (remaining.get(name) ?? 0) === (name === call.name ? 1 : 0)) === true &&
      call.after?.some((other) => other !== at && waiting.has(other)) !== true;
    if (isFree && call?.remote !== true) return at;
    if (isFree) remote ??= at;
  }
  return remote;
}

function dependsOn(calls: readonly ScheduledCall[], at: number, other: number): boolean {
  const call = calls[at];
  if (at === other || call === undefined) return false;
  return call.dependsOn.includes(calls[other]?.name ?? "") || call.after?.includes(other) === true;
}

/** Whether one of the two calls must run alone. */
function apart(calls: readonly ScheduledCall[], { at, other }: { at: number; other: number }): boolean {
  return calls[at]?.sequential === true || calls[other]?.sequential === true;
}

/** Whether the mode runs the call at `position` after the one at `otherPosition`. A batch size below one counts as one. */
function later(mode: ToolMode, position: number, otherPosition: number): boolean {
  if (typeof mode === "string") return mode === "sequential";
  const size = Math.max(1, Math.trunc(mode.batched) || 1);
  return Math.floor(otherPosition / size) < Math.floor(position / size);
}
