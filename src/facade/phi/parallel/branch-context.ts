// The contexts of branches: copies of a base context, each with the id of its loop (REQ-196, 203). Invariant: no branch changes the base
// context or the context of another branch.

import { dataCopy } from "#lib/text-sharing-copy.ts";

import type { AgentContext } from "../agent-context.ts";
import type { AgentLoopConfig } from "../loop-config.ts";
import { configSegment, newId } from "../loop-identity.ts";
import { isLlmMessage, userMessage } from "../loop-messages.ts";
import type { AgentMessage, Message } from "../loop-messages.ts";
import { shareConversion } from "../message-codec.ts";
import { providerIdOf } from "../provider/provider-id.ts";
import type { ParallelLoopResult } from "./parallel-outcome.ts";

/** Copies a context: the messages are copies, the tools are shared (REQ-196). */
export function cloneContext(context: AgentContext): AgentContext {
  return { ...context, messages: dataCopy(context.messages), tools: [...context.tools] };
}

/** Copies the messages of a branch. The copies share what is large: the texts, and the messages of requests that are made of them. */
export function branchMessages(messages: readonly AgentMessage[]): AgentMessage[] {
  return messages.map((message) => {
    const copy = dataCopy(message);
    if (isLlmMessage(message)) shareConversion(message, copy as Message);
    return copy;
  });
}

/** The context of a branch. */
export type BranchContext = AgentContext & { session_id: string; loop_id: string };

/**
 * A context for each config, in their order. All have the agent and the session of the base context, or new ones. With `isContinued` each
 * continues from the loop that used the base context last.
 */
export function branchContexts(
  base: AgentContext,
  configs: readonly AgentLoopConfig[],
  isContinued: boolean,
): BranchContext[] {
  const { agent_id = newId(), session_id = newId() } = base;
  const continuation_kind = isContinued ? (base.continuation_kind ?? "Default") : undefined;
  const parent_loop_id = base.parent_loop_id ?? (isContinued ? base.loop_id : undefined);
  const part = uniquePart();
  const highest = highestNumber(base, session_id);
  return configs.map((config, at) => ({
    ...base,
    messages: branchMessages(base.messages),
    tools: [...base.tools],
    agent_id,
    session_id,
    loop_id: numberedLoopId(config, { sessionId: session_id, number: highest + at + 1, part }),
    parent_loop_id,
    continuation_kind,
  }));
}

/** The id of a loop that no agent counts: session, segment, a unique part and a number. */
export function numberedLoopId(
  config: AgentLoopConfig,
  { sessionId, number, part = uniquePart() }: { sessionId: string; number: number; part?: string },
): string {
  return `${sessionId}.${segmentOf(config)}.${part}.${number}`;
}

/** The segment of a config in the ids of its loops. */
export function segmentOf(config: AgentLoopConfig): string {
  return configSegment({
    configId: config.configId,
    providerId: providerIdOf(config),
    model: config.modelConfig.id,
    thinkingLevel: config.thinkingLevel,
  });
}

/**
 * Eight hexadecimal digits that stand before the number of a branch. A second call with the same base context, and a later loop of an agent
 * that counts its loops, would have the same number.
 */
export function uniquePart(): string {
  return newId().slice(0, 8);
}

/** The highest number of a loop of the session that the context contains; 0 if there is none. */
function highestNumber({ loop_id, parent_loop_id, messages }: AgentContext, sessionId: string): number {
  const ids = messages.flatMap((message) => (isLlmMessage(message) ? (message.turn_id?.loop_id ?? []) : []));
  const numbers = [loop_id, parent_loop_id, ...ids].map((id) =>
    id?.startsWith(`${sessionId}.`) === true ? Number(/\.(\d+)$/.exec(id)?.[1] ?? 0) : 0,
  );
  return numbers.reduce((highest, number) => Math.max(highest, number), 0);
}

/**
 * A copy of the selected context with a message of the user at its end, for `agentLoopContinue`: a loop cannot continue after an answer. The
 * next loop has the selected one as its parent.
 */
export function continueSelected(
  { selected_context }: Pick<ParallelLoopResult, "selected_context">,
  message: AgentMessage | string,
): AgentContext {
  const context = cloneContext(selected_context);
  context.messages.push(typeof message === "string" ? userMessage(message) : message);
  return {
    ...context,
    loop_id: undefined,
    parent_loop_id: selected_context.loop_id,
    continuation_kind: "Default",
  };
}
