// Lets a model order the calls of a step (decision 29: tool order). Each tool of the step gets an optional parameter `_after`, which names
// the calls that have to be finished before. The parameter is removed before the arguments are checked, so the tool does not receive it.

import type { ToolCallPart } from "#contract/content.ts";
import { isJsonObject } from "#contract/json.ts";
import type { JsonObject } from "#contract/json.ts";

import type { ToolRunner } from "../ports/tool-port.ts";

/** The name of the parameter. */
const orderField = "_after";

const orderSchema = {
  type: "array",
  items: { type: "string" },
  description:
    "Calls of this answer that must be finished before this call starts: names of tools, or positions of calls, counted from 1. " +
    "Leave it out if this call depends on no other.",
};

/**
 * The tools with the parameter. A tool that has a parameter of this name, or whose calls a client runs, is left as it is: a client receives
 * the arguments that the model sent, and its calls start after all others anyway.
 */
export function orderedByModel(tools: ReadonlyMap<string, ToolRunner>): ReadonlyMap<string, ToolRunner> {
  return new Map([...tools].map(([name, runner]) => [name, withOrder(runner)]));
}

function withOrder(runner: ToolRunner): ToolRunner {
  const { parameters } = runner.spec;
  const properties = isJsonObject(parameters["properties"]) ? parameters["properties"] : {};
  if (runner.remote || orderField in properties) return runner;
  return {
    ...runner,
    ordered: true,
    spec: {
      ...runner.spec,
      parameters: { type: "object", ...parameters, properties: { ...properties, [orderField]: orderSchema } },
    },
    check: (args) => runner.check(withoutOrder(args)),
  };
}

function withoutOrder(args: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([name]) => name !== orderField));
}

/** The calls that a call waits for because its model named them. */
interface RequestedOrder {
  /** Names of tools. */
  dependsOn: readonly string[];
  /** Indexes of calls of the same answer. */
  after: readonly number[];
}

const noOrder: RequestedOrder = { dependsOn: [], after: [] };

/** The calls that the model of a call named in `_after`. An entry that names no call of the answer counts as met. */
export function requestedOrder(
  { arguments: args }: ToolCallPart,
  runner: Pick<ToolRunner, "ordered"> | undefined,
  calls: readonly ToolCallPart[],
): RequestedOrder {
  if (runner?.ordered !== true || typeof args === "string") return noOrder;
  const entries = args[orderField];
  if (!Array.isArray(entries)) return noOrder;
  const names = new Set(calls.map(({ name }) => name));
  const dependsOn: string[] = [];
  const after: number[] = [];
  for (const entry of new Set(entries)) {
    if (typeof entry !== "string" && typeof entry !== "number") continue;
    const position = Number(entry);
    if (typeof entry === "string" && names.has(entry)) dependsOn.push(entry);
    else if (Number.isInteger(position) && position >= 1 && position <= calls.length) after.push(position - 1);
  }
  return { dependsOn, after };
}
