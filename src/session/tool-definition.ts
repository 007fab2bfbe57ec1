// A session's tools as definitions, which is what the flow layer runs.

import { refuse } from "#contract/error.ts";
import { wordsOf } from "#core/cut-text.ts";
import { schemaOfJson } from "#lib/json-schema.ts";
import type { AnyToolDefinition, ToolCall, ToolOptions, ToolStream } from "#spec/index.ts";

import type { AnyAgentTool } from "./agent-tool.ts";

/**
 * The definitions by name; `timeoutMs` is the time of each call. Throws `invalid_request` for a tool that could not be called:
 * no name, one twice, a bad schema.
 */
export function toolDefinitions(
  tools: readonly AnyAgentTool[],
  timeoutMs: number | undefined,
): Map<string, AnyToolDefinition> {
  const definitions = new Map<string, AnyToolDefinition>();
  for (const tool of tools) {
    const name: unknown = (tool as AnyAgentTool | null)?.name;
    if (typeof name !== "string" || !callableName.test(name)) {
      throw refuse(
        "invalid_request",
        `A tool's name is a letter and up to 63 of letters, digits, "_" and "-"; this one is ${quoted(name)}.`,
      );
    }
    if (definitions.has(name)) throw refuse("invalid_request", `Two tools are named "${name}".`);
    definitions.set(name, definitionOf(tool, timeoutMs));
  }
  return definitions;
}

/** Milliseconds that a remote call waits for its result: a hundred years, because the caller of the session decides when to stop. */
const patience = 100 * 365 * 24 * 60 * 60 * 1000;

/** What every provider takes for the name of a function, and the session endpoint too. */
const callableName = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

function quoted(value: unknown): string {
  return JSON.stringify(value) ?? typeof value;
}

function definitionOf(tool: AnyAgentTool, timeoutMs: number | undefined): AnyToolDefinition {
  const { name } = tool;
  // A list that was JSON may lack either.
  const description = [tool.description, tool.label].find((text) => typeof text === "string" && text !== "") ?? name;
  if (tool.execute !== undefined && typeof tool.execute !== "function") {
    throw refuse("invalid_request", `"execute" of the tool "${name}" is no function. Leave it out for a remote tool.`);
  }
  const options: ToolOptions = { deadlineMs: patience, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
  const run =
    tool.execute === undefined
      ? undefined
      : // Arguments were checked by the schema, which says nothing to the compiler.
        (_state: unknown, args: never, call: ToolCall) => tool.execute?.(call.id, args, call.signal) as ToolStream;
  return Object.assign([description, schemaOf(tool), run], { options }) as unknown as AnyToolDefinition;
}

function schemaOf({ name, parameters }: AnyAgentTool) {
  try {
    return schemaOfJson(parameters);
  } catch (thrown) {
    throw refuse("invalid_request", `The parameters of the tool "${name}" cannot be checked. ${wordsOf(thrown)}`);
  }
}
