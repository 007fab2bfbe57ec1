// Links an execution to the call whose tool begins it. The link gives the sub-agent the abort signal of the call and, if it has no model, the
// parent's model; and it is how a recursion without an end is refused. Nothing else limits executions.

import type { ModelReference, ProviderConfig } from "../upp/model-reference.ts";
import type { ParentContext, ToolContext } from "../upp/tool-context.ts";
import { refusal } from "../upp/upp-error.ts";
import type { RunTool } from "../upp/upp-tool.ts";
import type { Agent } from "./agent-contract.ts";

/** The levels of sub-agents below an agent that sets no `maxSubagentDepth` and is not itself a sub-agent. */
const defaultDepth = 32;

/** Set only while the function of a tool runs synchronously, so that no other execution runs in between. */
let current: ToolContext | undefined;

/** The call whose tool runs now. An agent that a tool executes before its first `await` is linked to the call without further arguments. */
export function runningCall(): ToolContext | undefined {
  return current;
}

/** Runs a tool, and links the agents that it executes to the call. */
export const runLinked: RunTool = (tool, params, context) => {
  const before = current;
  current = context;
  try {
    return tool.run(params, context);
  } finally {
    current = before;
  }
};

/** An execution as its tools receive it. `parent` is the call whose tool begins the execution. */
export function lineageOf(
  { id: agentId, maxSubagentDepth: own }: Agent,
  { stateId, sessionId, parent }: { stateId: string; sessionId: string | undefined; parent: ToolContext | undefined },
): ParentContext {
  if (own !== undefined && !(own >= 0)) throw refusal(`maxSubagentDepth is a number from 0; this is ${own}.`);
  const ancestor = parent === undefined ? undefined : executionOf(parent);
  const inherited = ancestor === undefined ? Infinity : ancestor.remainingDepth - 1;
  return {
    agentId,
    stateId,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(ancestor === undefined ? {} : { parentContext: ancestor }),
    remainingDepth: Math.min(inherited, own ?? (ancestor === undefined ? defaultDepth : Infinity)),
  };
}

/** The execution that made a call; undefined for a call that `llm` made without an agent. */
function executionOf(call: ToolContext): ParentContext | undefined {
  const { agentId, stateId, sessionId, parentContext, remainingDepth = defaultDepth } = call;
  if (agentId === undefined || stateId === undefined) return undefined;
  return {
    agentId,
    stateId,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(parentContext === undefined ? {} : { parentContext }),
    remainingDepth,
  };
}

/** Refuses an execution that is nested too deep, and one of an agent that an outer execution executes already. */
export function assertNesting({ agentId, parentContext, remainingDepth }: ParentContext): void {
  let depth = 0;
  for (let outer = parentContext; outer !== undefined; outer = outer.parentContext) {
    depth += 1;
    if (outer.agentId !== agentId) continue;
    throw refusal(
      `The agent ${agentId} is its own sub-agent: a tool of its execution executes it again. Execute another agent, or a copy of it: agent({ ...helper }).`,
    );
  }
  if (remainingDepth >= 0) return;
  throw refusal(
    `This execution would be at level ${depth} of sub-agents, which is over the bound. End the recursion, or raise maxSubagentDepth of the outermost agent (default ${defaultDepth}).`,
  );
}

/** What an agent's requests are sent with: its own model, or that of its parent. */
export function modelOf(
  { model, config }: Agent,
  parent: ToolContext | undefined,
): { model: ModelReference; config: ProviderConfig | undefined } {
  if (model !== undefined) return { model, config };
  const inherited = parent?.parentModel;
  if (inherited !== undefined) return { model: inherited, config: config ?? parent?.parentConfig };
  throw refusal("The agent has no model. Give it one: agent({ ...helper, model: context.parentModel }).");
}

/** The model and the settings as a tool receives them. */
export function parentSettings({
  model,
  config,
}: ReturnType<typeof modelOf>): Pick<ToolContext, "parentModel" | "parentConfig"> {
  return { parentModel: model, ...(config === undefined ? {} : { parentConfig: config }) };
}
