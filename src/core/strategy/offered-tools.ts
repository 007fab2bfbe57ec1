// Selects the tools that a step offers its model: those of the prompt's tools that the strategy allows in this step.

import type { ToolSpec } from "../ports/model-port.ts";
import type { StepShape } from "../ports/strategy-port.ts";
import type { ToolRunner } from "../ports/tool-port.ts";

/** The tools of a request, and those that its answer may call. */
export interface OfferedTools {
  specs: ToolSpec[];
  toolChoice: "auto" | "none" | "required";
  tools: ReadonlyMap<string, ToolRunner>;
}

/**
 * Applies the strategy's settings for a step (`StepShape`) to the prompt's tools. `byDefault` is the prompt's `toolChoice`. A step that
 * allows no tool of the prompt forbids calls. If calls are forbidden, a call that the model makes all the same finds no tool and does not run
 * (decision 101).
 */
export function offeredTools(
  all: ReadonlyMap<string, ToolRunner>,
  { tools: names, toolChoice }: StepShape,
  byDefault: OfferedTools["toolChoice"] = "auto",
): OfferedTools {
  const tools = names === undefined ? all : new Map([...all].filter(([name]) => names.includes(name)));
  if (names !== undefined && tools.size === 0) return { specs: specsOf(all), toolChoice: "none", tools };
  const choice = toolChoice ?? byDefault;
  return { specs: specsOf(tools), toolChoice: choice, tools: choice === "none" ? new Map() : tools };
}

function specsOf(tools: ReadonlyMap<string, ToolRunner>): ToolSpec[] {
  return [...tools.values()].map(({ spec }) => spec);
}

/** A warning about names of the shape that are not among the tools that the prompt lists; none if there are no such names. */
export function unknownToolsWarning(
  { tools: names = [] }: StepShape,
  listed: readonly (string | { name: string })[],
): string[] {
  const known = new Set(listed.map((tool) => (typeof tool === "string" ? tool : tool.name)));
  const unknown = names.filter((name) => !known.has(name)).map((name) => `"${name}"`);
  return unknown.length === 0
    ? []
    : [`The strategy allowed tools that the prompt does not have: ${unknown.join(", ")}.`];
}
