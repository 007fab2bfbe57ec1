// Creates the runners of a session's tools.

import { refuse } from "#contract/error.ts";
import type { ToolRunner } from "#core/ports/tool-port.ts";
import { defaultTimeoutMs } from "#core/tools/tool-output.ts";
import { functionTool } from "#host/function-tool.ts";
import type { FunctionTool } from "#host/function-tool.ts";
import { errorMessage } from "#lib/cut-text.ts";
import { schemaOfJson } from "#lib/json-schema.ts";

import type { AnyAgentTool } from "./agent-tool.ts";
import { readExecution } from "./read-execution.ts";

/**
 * The runners by name. `timeoutMs` limits each call. Throws `invalid_request` for an invalid tool: without a valid name, with the name of
 * another tool, with an invalid schema, or with an `execute` that is no function.
 */
export function toolRunners(
  tools: readonly AnyAgentTool[],
  timeoutMs: number = defaultTimeoutMs,
): Map<string, ToolRunner> {
  const runners = new Map<string, ToolRunner>();
  for (const tool of tools) {
    const name: unknown = (tool as AnyAgentTool | null)?.name;
    if (typeof name !== "string" || !callableName.test(name)) {
      throw refuse(
        "invalid_request",
        `A tool's name is a letter and up to 63 of letters, digits, "_" and "-"; this one is ${quoted(name)}.`,
      );
    }
    if (runners.has(name)) throw refuse("invalid_request", `Two tools are named "${name}".`);
    runners.set(name, runnerOf(tool, timeoutMs));
  }
  return runners;
}

/** Milliseconds that a remote call waits for its result: a hundred years, because the caller of the session decides when to stop. */
const deadlineMs = 100 * 365 * 24 * 60 * 60 * 1000;

/** Names of functions that every provider and the session endpoints accept. */
const callableName = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

function quoted(value: unknown): string {
  return JSON.stringify(value) ?? typeof value;
}

function runnerOf(tool: AnyAgentTool, timeoutMs: number): ToolRunner {
  const { name, execute } = tool;
  // A list that was JSON may lack either field.
  const description = [tool.description, tool.label].find((text) => typeof text === "string" && text !== "") ?? name;
  if (execute !== undefined && typeof execute !== "function") {
    throw refuse("invalid_request", `"execute" of the tool "${name}" is no function. Leave it out for a remote tool.`);
  }
  const schema = schemaOf(tool);
  if (execute === undefined) return functionTool({ name, description, schema, timeoutMs, deadlineMs });
  // The schema has checked the arguments, but its type is not known to the compiler.
  const run: FunctionTool["run"] = (args, call) =>
    readExecution(name, () => tool.execute?.(call.id, args as never, call.signal));
  return functionTool({ name, description, schema, run, timeoutMs, deadlineMs });
}

function schemaOf({ name, parameters }: AnyAgentTool) {
  try {
    return schemaOfJson(parameters);
  } catch (thrown) {
    throw refuse("invalid_request", `The parameters of the tool "${name}" cannot be checked. ${errorMessage(thrown)}`);
  }
}
