// Links the execution of a sub-agent to the tool call that starts it. Through the link, the sub-agent receives the abort signal of the call,
// the thread of its parent and, if it has no model, the model of its parent. The link also applies `maxSubagentDepth`.

import type { ThreadState } from "#spec/index.ts";

import type { ModelReference, ProviderConfig } from "../upp/model-reference.ts";
import type { ParentContext, ToolContext } from "../upp/tool-context.ts";
import { refusal } from "../upp/upp-error.ts";
import type { RunTool } from "../upp/upp-tool.ts";
import type { Agent } from "./agent-contract.ts";

/** The running call. It is set only during the synchronous part of a tool's function, so code of another execution cannot read it. */
let current: ToolContext | undefined;

/** Returns the running call. An agent that a tool executes before its first `await` is linked to this call without an argument. */
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

/** Creates the part of a tool's context that describes the execution. `parent` is the tool call that starts the execution. */
export function lineageOf(
  { id: agentId, maxSubagentDepth: own }: Agent,
  { stateId, sessionId, parent }: { stateId: string; sessionId: string | undefined; parent: ToolContext | undefined },
): ParentContext {
  if (own !== undefined && !(own >= 0))
    throw refusal(`maxSubagentDepth has to be a number of at least 0; it is ${own}.`);
  const ancestor = parent === undefined ? undefined : callingExecution(parent);
  const remainingDepth = Math.min((ancestor?.remainingDepth ?? Infinity) - 1, own ?? Infinity);
  return {
    agentId,
    stateId,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(ancestor === undefined ? {} : { parentContext: ancestor }),
    // Without a limit the field is absent, because JSON has no infinite number.
    ...(remainingDepth === Infinity ? {} : { remainingDepth }),
  };
}

/** Returns the execution of the agent that made a call; undefined for a call of `llm` without an agent. */
function callingExecution(call: ToolContext): ParentContext | undefined {
  const { agentId, stateId, sessionId, parentContext, remainingDepth } = call;
  if (agentId === undefined || stateId === undefined) return undefined;
  return {
    agentId,
    stateId,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(parentContext === undefined ? {} : { parentContext }),
    ...(remainingDepth === undefined ? {} : { remainingDepth }),
  };
}

/** Refuses an execution that is nested deeper than `maxSubagentDepth` of an agent above it allows. UAP-1.0 has no limit by default (§2.4). */
export function assertNesting({ parentContext, remainingDepth = Infinity }: ParentContext): void {
  if (remainingDepth >= 0) return;
  let depth = 0;
  for (let outer = parentContext; outer !== undefined; outer = outer.parentContext) depth += 1;
  throw refusal(
    `This execution would be at level ${depth} of sub-agents, which is more than maxSubagentDepth allows. End the recursion, or raise maxSubagentDepth of the outermost agent that sets it.`,
  );
}

/**
 * The property of a tool's context that has the state of the thread. It is a symbol, because it is internal: a tool of a thread has the state
 * already. A copy of the context by spreading has the property too.
 */
const threadKey = Symbol("thread");

/** Returns the state of the thread in whose tool an execution runs: the agent's option `in`, or the state of its parent. */
export function threadOf({ in: state }: Agent, parent: ToolContext | undefined): ThreadState | undefined {
  return state ?? (parent as { [threadKey]?: ThreadState } | undefined)?.[threadKey];
}

/** The property of a tool's context that has the kind of the sub-agent that the tool executes. Deeper sub-agents do not inherit it. */
const typeKey = Symbol("type");

/** Returns the context of a call for the execution of a sub-agent of this kind. */
export function contextFor(subagentType: string, call: ToolContext): ToolContext {
  return { ...call, [typeKey]: subagentType } as ToolContext;
}

/** Returns the name of an agent in the events of a thread: its kind as a sub-agent, else its name, else its id. */
export function nameOf({ name, id }: Agent, parent: ToolContext | undefined): string {
  return (parent as { [typeKey]?: string } | undefined)?.[typeKey] ?? name ?? id;
}

/** Returns the model of an agent's requests: its own, or that of its parent. */
export function modelOf(
  { model, config }: Agent,
  parent: ToolContext | undefined,
): { model: ModelReference; config: ProviderConfig | undefined } {
  if (model !== undefined) return { model, config };
  const inherited = parent?.parentModel;
  if (inherited !== undefined) return { model: inherited, config: config ?? parent?.parentConfig };
  throw refusal(
    "The agent has no model. Set its option `model`, or in a tool pass the context of the call: agent.generate(input, state, { parentContext: context }).",
  );
}

/** Creates the part of a tool's context that a sub-agent inherits: the model, the connection settings and the thread. */
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
