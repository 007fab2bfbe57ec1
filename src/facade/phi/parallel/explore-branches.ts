// Continues an agent's conversation in several ways at the same time (roadmap, "Parallel Exploration"). Each branch is a clone of the agent
// at a checkpoint. Invariant: the agent itself does not change.

import { errorMessage } from "#lib/cut-text.ts";
import { dataCopy } from "#lib/text-sharing-copy.ts";

import { AgentOptions } from "../agent-builders.ts";
import { checkContinued } from "../agent-context.ts";
import type { AgentSnapshot } from "../agent-snapshot.ts";
import { BasicAgent } from "../basic-agent.ts";
import type { AgentRun } from "../basic-agent.ts";
import { withEvents } from "../event-channel.ts";
import { LoopError } from "../loop-error.ts";
import { branchKind } from "../loop-event.ts";
import type { ContinuationKind } from "../loop-event.ts";
import { userMessage } from "../loop-messages.ts";
import type { AgentMessage } from "../loop-messages.ts";
import { isWronglyAsync } from "../program-functions.ts";
import { readMessages } from "../saved-messages.ts";
import { branchMessages, segmentOf, uniquePart } from "./branch-context.ts";

/** How one branch differs from the agent. */
export interface BranchSpec {
  /** Messages after those of the checkpoint, such as a question or another result of a tool. */
  messages?: readonly (AgentMessage | string)[];
  /** Changes the clone before its loop starts: its messages, prompt, tools or model. Synchronous. */
  configure?: (clone: BasicAgent) => unknown;
}

/** A branch that runs: its events, the promise of its new messages, and its agent. */
export interface BranchRun extends AgentRun {
  /** The clone. `agent.restore(run.agent.checkpoint())` continues the original agent with this branch. */
  readonly agent: BasicAgent;
}

/**
 * Starts a loop for each spec, over a clone of the agent. Each loop is a `Branch` continuation of the checkpoint's last loop, so the last
 * message of each branch has to be a user's or a tool's. `checkpoint`: default the current state of the agent, without a loop that still
 * runs. Throws a LoopError for a wrong spec, before any request is sent. Each branch is cancelled by `abort` of its own agent.
 */
export function exploreBranches(
  agent: BasicAgent,
  specs: readonly BranchSpec[],
  checkpoint?: AgentSnapshot,
): BranchRun[] {
  if (!Array.isArray(specs) || specs.length === 0)
    throw new LoopError("exploreBranches takes a list of at least one spec. Each spec is a branch.");
  const state = checkpoint ?? agent.checkpoint();
  const { messages } = checkpoint ?? agent;
  const clones = specs.map((spec: BranchSpec, at) => {
    const clone = cloneAgent(agent, state);
    clone.messages = branchMessages(messages);
    return configured(clone, spec, at);
  });
  const kind = branchKind();
  const runs: BranchRun[] = [];
  try {
    for (const clone of clones) runs.push(runClone(clone, kind));
  } catch (error) {
    for (const run of runs) run.agent.abort();
    throw error;
  }
  return runs;
}

const members = new Set(["messages", "configure"]);

/** The clone with the changes of its spec, and with loop ids of its own. */
function configured(clone: BasicAgent, spec: BranchSpec, at: number): BasicAgent {
  const unknown = Object.keys(spec).find((name) => !members.has(name));
  if (unknown !== undefined)
    throw new LoopError(`There is no field \`${unknown}\` of specs[${at}]. The fields are messages and configure.`);
  if (isWronglyAsync(spec.configure?.(clone)))
    throw new LoopError(`specs[${at}].configure returned a promise. It has to be synchronous.`);
  const added = (spec.messages ?? []).map((message) => (typeof message === "string" ? userMessage(message) : message));
  try {
    clone.messages = [...readMessages(clone.messages), ...readMessages(dataCopy(added))];
    const { systemPrompt: system_prompt, messages, tools, agentId: agent_id, sessionId: session_id } = clone;
    checkContinued({ system_prompt, messages, tools, agent_id, session_id });
  } catch (error) {
    throw new LoopError(`specs[${at}]: ${errorMessage(error)}`);
  }
  // Clones count their loops by themselves, so their segments have to differ.
  const { configId, modelConfig, providerOverride, thinkingLevel } = clone;
  const segment = segmentOf({
    modelConfig,
    thinkingLevel,
    ...(configId === null ? {} : { configId }),
    ...(providerOverride === null ? {} : { providerOverride }),
  });
  return clone.withConfigId(`${segment}.${uniquePart()}`);
}

/** An agent with the same options, and the state of a checkpoint. */
function cloneAgent(agent: BasicAgent, checkpoint: AgentSnapshot): BasicAgent {
  const clone = new BasicAgent(agent.modelConfig);
  const names = Object.keys(new AgentOptions(agent.modelConfig)) as (keyof AgentOptions)[];
  Object.assign(clone, Object.fromEntries(names.map((name) => [name, agent[name]])));
  clone.withTools(agent.tools);
  clone.inputFilters = [...agent.inputFilters];
  clone.restore(checkpoint);
  return clone;
}

function runClone(agent: BasicAgent, kind: ContinuationKind): BranchRun {
  return Object.assign(
    withEvents((tx) => agent.continueLoopWithSender(tx, kind)),
    { agent },
  );
}
