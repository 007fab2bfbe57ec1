// Runs a tool on request, for the route of Standard Agents' invokeTool. Tools can have effects, so a user may invoke only the tools that
// the thread's agent offers to its models.

import type { ToolResult } from "#contract/call-result.ts";
import { refuse } from "#contract/error.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";

import type { OpenThread } from "./loaded-thread.ts";
import type { MethodGroup } from "./method-call.ts";

/** The method that runs a tool without a model. */
export const toolMethods: MethodGroup<"invokeTool"> = {
  invokeTool: ({ caller, thread }, name, args) => invokeByHand(thread(), caller, { name, args }),
};

/** Invokes a tool. An administrator may invoke every tool. */
async function invokeByHand(
  open: Pick<OpenThread, "live" | "definitions" | "calls">,
  caller: Caller,
  { name, args }: { name: string; args: JsonObject },
): Promise<ToolResult> {
  const { definitions, calls } = open;
  const isTool = definitions.has("tools", name) || definitions.hasSourcePrefix(name);
  if (!caller.admin && isTool && !(await isOffered(open, name))) {
    const message = `The agent of this thread does not offer the tool "${name}". An administrator may invoke it.`;
    throw refuse("forbidden", message);
  }
  return calls.invoke(name, args, null);
}

/** Whether the prompt of one of the agent's sides (its one or two models) lists the tool. */
async function isOffered(
  { definitions, live }: Pick<OpenThread, "definitions" | "live">,
  name: string,
): Promise<boolean> {
  const agent = await definitions.agent(live.record.agent_id);
  const sides = [agent.sideA, agent.type === "dual_ai" ? agent.sideB : undefined].filter((side) => side !== undefined);
  const prompts = await Promise.all(sides.map(({ prompt }) => definitions.prompt(prompt)));
  const entries = prompts.flatMap(({ tools = [] }) => tools);
  return entries.some((entry) => {
    const listed = typeof entry === "string" ? entry : entry.name;
    return listed === name || (listed.endsWith("__*") && name.startsWith(listed.slice(0, -1)));
  });
}
