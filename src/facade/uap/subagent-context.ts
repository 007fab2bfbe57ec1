// Links an execution to the call whose tool begins it. The link gives the sub-agent the abort signal of the call and, if it has no model, the
// parent's model; and it is how a recursion without an end is refused. Nothing else limits executions.

import type { ThreadState } from "#spec/index.ts";

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
  const ancestor = parent === undefined ? undefined : callingExecution(parent);
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
function callingExecution(call: ToolContext): ParentContext | undefined {
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

/**
 * The key of the thread's state in a context of a tool. It survives a copy of the context, and is no part of its public form: a tool of a thread has
 * the state already.
 */
const threadKey = Symbol("thread");

/** The state of the thread in whose tool an execution runs: that of the agent's option `in`, or that of its parent. */
export function threadOf({ in: state }: Agent, parent: ToolContext | undefined): ThreadState | undefined {
  return state ?? (parent as { [threadKey]?: ThreadState } | undefined)?.[threadKey];
}

/** The key of the sub-agent's kind in the context with which a tool executes it. It is not passed on to deeper sub-agents. */
const typeKey = Symbol("type");

/** The context of a tool's call for a sub-agent that events name by its kind. */
export function contextFor(subagentType: string, call: ToolContext): ToolContext {
  return { ...call, [typeKey]: subagentType } as ToolContext;
}

/** The name of an agent in the events of a thread. */
export function nameOf({ name, id }: Agent, parent: ToolContext | undefined): string {
  return (parent as { [typeKey]?: string } | undefined)?.[typeKey] ?? name ?? id;
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

/** What a sub-agent inherits, as a tool receives it: the model, the settings and the thread. */
export function inheritance(
  agent: Agent,
  parent: ToolContext | undefined,
): Pick<ToolContext, "parentModel" | "parentConfig"> {
  const { model, config } = modelOf(agent, parent);
  const thread = threadOf(agent, parent);
  return {
    parentModel: model,
    ...(config === undefined ? {} : { parentConfig: config }),
    ...(thread === undefined ? {} : { [threadKey]: thread }),
  };
}
