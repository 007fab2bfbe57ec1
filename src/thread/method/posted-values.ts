// What people and clients say, against the schemas of the calls' tools: arguments that were changed, results of tools that say what
// theirs are made of. Told while it can be put right, not by a call that fails.

import { refuse } from "#contract/error.ts";
import type { Json } from "#contract/json.ts";
import type { MessageRecord } from "#core/record.ts";
import { checkArguments } from "#flow/check-arguments.ts";
import { readTool } from "#spec/index.ts";
import type { ToolParts } from "#spec/index.ts";

import type { ObjectContext } from "../object-context.ts";
import type { PostedAnswer } from "./posted-answer.ts";

/** Rejects for what does not fit the tool of its call. Of calls that are not open nothing is checked here. */
export async function checkPostedValues(
  { definitions, faults }: ObjectContext,
  posted: readonly PostedAnswer[],
  open: readonly MessageRecord[],
): Promise<void> {
  for (const [index, { id, said }] of posted.entries()) {
    const name = open.find(({ tool_call_id }) => tool_call_id === id)?.name ?? null;
    const value = said.kind === "approval" ? said.decision.args : said.value;
    if (value === undefined || name === null || !definitions.has("tools", name)) continue;
    await faults.at("results.check-values");
    const tool = readTool(await definitions.tool(name));
    const [field, problem] =
      said.kind === "approval" ? ["args", problemOf(tool.schema, value)] : resultProblem(tool, value);
    if (problem === null) continue;
    const what = field === "args" ? "arguments do" : "result does";
    throw refuse("invalid_request", `The ${what} not fit "${name}". ${problem}`, {
      field: `results.${index}.${field}`,
    });
  }
}

function resultProblem({ options }: ToolParts, value: Json): [string, string | null] {
  return ["result", options.resultSchema === undefined ? null : problemOf(options.resultSchema, value)];
}

function problemOf(schema: ToolParts["schema"], value: Json): string | null {
  const checked = checkArguments(schema, value);
  return checked.ok ? null : checked.problem;
}
