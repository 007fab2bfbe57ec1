// The summary of a run: its duration, divided by activity, and its usage. Times in which several things ran count once,
// so the parts do not add up to more than the whole.

import type { Usage } from "threadhold/client";

import { nodesOf } from "./trace-node.ts";
import type { RunNode, TraceNode } from "./trace-node.ts";

/** Milliseconds, tokens, USD. */
export interface TraceSummary {
  total_ms: number;
  model_ms: number;
  tool_ms: number;
  /** Time in child threads, whatever they did. */
  agent_ms: number;
  waiting_ms: number;
  usage: Usage;
  cost: number | null;
  /** The share of prompt tokens that came from a cache, 0 to 1; null if there are no prompt tokens. */
  cache_share: number | null;
}

/** An interval in microseconds. */
export type Interval = readonly [start: number, end: number];

/** Computes the summary. `used` is the server's own count, which includes child threads. */
export function summaryOf(
  root: RunNode,
  { usage, cost }: { usage: Usage; cost: number | null },
  now: number,
): TraceSummary {
  const nodes = [...nodesOf(root)];
  const spans = (of: (node: TraceNode) => boolean): number =>
    lengthOf(nodes.filter(of).map(({ start, end }) => [start, end ?? now] as const)) / 1000;
  const prompt = usage.input + usage.cache_read + usage.cache_write;
  return {
    total_ms: Math.max(0, (root.end ?? now) - root.start) / 1000,
    model_ms: spans(({ kind }) => kind === "attempt"),
    tool_ms: spans((node) => node.kind === "tool" && !node.remote),
    agent_ms: spans(({ kind }) => kind === "child"),
    waiting_ms: spans(isWait),
    usage,
    cost,
    cache_share: prompt === 0 ? null : usage.cache_read / prompt,
  };
}

/** Whether a node only waits for someone. */
export function isWait(node: TraceNode): boolean {
  return node.kind === "wait" || (node.kind === "tool" && node.remote);
}

/** Merges intervals that overlap. */
export function union(intervals: readonly Interval[]): Interval[] {
  const merged: [number, number][] = [];
  for (const [start, end] of intervals.toSorted((one, other) => one[0] - other[0])) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

function lengthOf(intervals: readonly Interval[]): number {
  return union(intervals).reduce((sum, [start, end]) => sum + Math.max(0, end - start), 0);
}
