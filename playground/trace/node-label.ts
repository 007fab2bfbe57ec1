// Texts for the nodes of a trace: the label of a bar for screen readers, and what followed a failed attempt.

import { duration } from "../kit/duration.ts";
import { count, money } from "../kit/figures.ts";
import { nodesOf } from "./trace-node.ts";
import type { AttemptNode, RunNode, TraceNode } from "./trace-node.ts";

const kinds: Readonly<Record<TraceNode["kind"], string>> = {
  run: "Run of",
  step: "",
  attempt: "Model",
  tool: "Tool",
  prompt: "Prompt",
  child: "Agent",
  wait: "Wait:",
  note: "",
};

const states: Readonly<Record<TraceNode["state"], string>> = {
  done: "done",
  failed: "failed",
  running: "running",
  waiting: "waiting",
  stopped: "stopped",
};

/** The state as a word. */
export function stateText({ state }: Pick<TraceNode, "state">): string {
  return states[state];
}

/** The label of a node for screen readers. */
export function labelOf(node: TraceNode, now: number): string {
  const figures =
    node.kind === "attempt" && node.usage !== null
      ? [`${count(node.usage.input)} tokens in`, `${count(node.usage.output)} out`, money(node.cost)]
      : [];
  const time = node.kind === "note" ? [] : [duration(lengthOf(node, now))];
  const aside = node.aside === null ? [] : [node.aside];
  return [`${kinds[node.kind]} ${node.name}`.trim(), states[node.state], ...time, ...figures, ...aside].join(", ");
}

/**
 * The duration of a node so far, in milliseconds. A duration that the server measured takes precedence over the difference
 * of two times.
 */
export function lengthOf(node: TraceNode, now: number): number {
  if (node.kind === "attempt" && node.latency_ms !== null && node.end !== null) return node.latency_ms;
  const measured = node.kind === "tool" || node.kind === "prompt" || node.kind === "child";
  if (measured && node.duration_ms !== null && node.end !== null) return node.duration_ms;
  return Math.max(0, (node.end ?? now) - node.start) / 1000;
}

/** What followed a failed attempt; null for an attempt that did not fail. */
export function nextStepOf(root: RunNode | readonly TraceNode[], node: AttemptNode): string | null {
  if (node.state !== "failed") return null;
  const all = Array.isArray(root) ? root.flatMap((one: TraceNode) => [...nodesOf(one)]) : [...nodesOf(root as RunNode)];
  const later = all.filter(
    (one): one is AttemptNode =>
      one.kind === "attempt" &&
      one.run_id === node.run_id &&
      one.place.step === node.place.step &&
      one.place.under === node.place.under &&
      one.start >= node.start &&
      one.key !== node.key,
  );
  const [next] = later.toSorted((one, other) => one.start - other.start);
  if (next === undefined) return "The run ended with this error: there was no other attempt.";
  const wait = duration(Math.max(0, next.start - (node.end ?? next.start)) / 1000);
  if (next.model === node.model) return `${next.model} was called again after ${wait}: attempt ${next.attempt}.`;
  return `The next attempt used the fallback ${next.model}.`;
}
