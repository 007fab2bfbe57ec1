// Arguments that a person changed, against the schema of the call's tool: told while they can be put right, not by a call that
// fails.

import { refuse } from "#contract/error.ts";
import type { MessageRecord } from "#core/record.ts";
import { checkArguments } from "#flow/check-arguments.ts";
import { readTool } from "#spec/index.ts";

import type { ObjectContext } from "../object-context.ts";
import type { PostedAnswer } from "./posted-answer.ts";

/** Rejects for arguments that the tool of their call does not take. Of calls that are not open nothing is checked here. */
export async function checkChangedArguments(
  { definitions, faults }: ObjectContext,
  posted: readonly PostedAnswer[],
  open: readonly MessageRecord[],
): Promise<void> {
  for (const [index, { id, said }] of posted.entries()) {
    const name = open.find(({ tool_call_id }) => tool_call_id === id)?.name ?? null;
    const args = said.kind === "approval" ? said.decision.args : undefined;
    if (args === undefined || name === null || !definitions.has("tools", name)) continue;
    await faults.at("results.check-arguments");
    const { schema } = readTool(await definitions.tool(name));
    const checked = checkArguments(schema, args);
    if (checked.ok) continue;
    throw refuse("invalid_request", `The arguments do not fit "${name}". ${checked.problem}`, {
      field: `results.${index}.args`,
    });
  }
}
