// Converts a tool of a source, such as an operation of an API, to a tool of programs.

import type { JsonObject } from "#contract/json.ts";
import type { DefinedTool } from "#core/ports/tool-source-port.ts";
import { readArguments } from "#core/schema/argument-form.ts";
import { checkBySchema } from "#core/schema/check-value.ts";

import { programResult } from "./program-tool.ts";
import type { ProgramTool } from "./program-tool.ts";

/** Converts a tool. Throws an `UnusableSchema` if the schema of its arguments cannot be used. */
export function definedProgramTool(tool: DefinedTool): ProgramTool {
  const { name, description, parameters, wholeParameters = () => parameters } = tool;
  return {
    name,
    description,
    parameters: readArguments(parameters, { tolerant: true }) as ProgramTool["parameters"],
    async run(params, { toolCallId, signal }) {
      const args = params as JsonObject;
      const problem = argumentProblem(parameters, args, wholeParameters);
      if (problem !== null) throw new Error(`The arguments are invalid: ${problem}`);
      return programResult(await tool.call(args, { id: toolCallId, attempt: 1, signal, progress: () => {} }));
    },
  };
}

/** The reason why arguments do not match the whole schema, or its part `parameters` if the whole one takes too much work; null for a match. */
export function argumentProblem(parameters: JsonObject, args: JsonObject, whole: () => JsonObject): string | null {
  const checked = checkBySchema(whole(), args);
  const verdict = !checked.ok && checked.isTooMuch ? checkBySchema(parameters, args) : checked;
  return verdict.ok ? null : verdict.problem;
}
