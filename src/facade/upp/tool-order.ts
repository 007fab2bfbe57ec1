// The order of the calls of one answer: the order that the tools declare, and the one that the model requests.

import type { ToolCallPart } from "#contract/content.ts";
import { requestedOrder } from "#core/tools/model-order.ts";

import type { Tool } from "./upp-tool.ts";

/**
 * The names of the tools whose calls run before those of each tool, by the tool's name. They are the tools in `dependsOn`. For a tool that
 * is not sequential they also include every sequential tool, unless that one has to run after it.
 */
export function declaredOrder(tools: readonly Tool[]): ReadonlyMap<string, readonly string[]> {
  const order = new Map(tools.map(({ name, dependsOn = [] }) => [name, [...dependsOn]]));
  for (const { name: first } of tools.filter(({ sequential }) => sequential === true)) {
    for (const { name, sequential } of tools) {
      if (sequential !== true && !runsAfter(first, name, order)) order.get(name)?.push(first);
    }
  }
  return order;
}

/** Whether the calls of `tool` run after those of `other`, directly or through further tools. */
function runsAfter(tool: string, other: string, order: ReadonlyMap<string, readonly string[]>): boolean {
  const reached = new Set([tool]);
  for (const name of reached) for (const before of order.get(name) ?? []) reached.add(before);
  return reached.has(other);
}

/** The ids of the calls that the model requested to run before a call, in the order of the answer. */
export function requestedCalls(call: ToolCallPart, calls: readonly ToolCallPart[]): string[] {
  const { dependsOn, after } = requestedOrder(call, { ordered: true }, calls);
  return calls
    .filter((other, index) => other !== call && (dependsOn.includes(other.name) || after.includes(index)))
    .map(({ id }) => id);
}
