// The public interface of a session (agent API rework plan, "Agent Sessions").

import type { ContextMessage } from "#contract/session/execute-request.ts";
import type { SessionMessage, SessionToolCall } from "#contract/session/session-message.ts";
import type { SessionStatus } from "#contract/session/session-view.ts";

import type { AnyAgentTool } from "./agent-tool.ts";

/** The beginning of a conversation (agent API rework plan, `AgentContext`). */
export interface AgentContext {
  /** The system prompt. */
  systemPrompt?: string;
  /** An earlier conversation, oldest first: the `messages` of a session, also after a round trip through JSON, or messages you wrote. */
  messages?: readonly ContextMessage[];
  /** The tools that the model may call. Tools without a function are remote. */
  tools?: readonly AnyAgentTool[];
}

/**
 * A session in memory. Its properties show the current state, so read them again after an execution. `JSON.stringify` stores the session,
 * and `createSession` restores it from the stored `messages`.
 */
export interface AgentSession {
  readonly id: string;
  readonly status: SessionStatus;
  /** The name of the model that answered last, or of the one that will answer first. */
  readonly model: string;
  /** The whole conversation. A message is added when its `message_end` event is emitted. The list is a copy. */
  readonly messages: SessionMessage[];
  /** USD over all executions; null if a price is unknown. A restored session adds up the costs of its messages. */
  readonly totalCost: number | null;
  /** The calls that wait for a result; undefined unless the status is `awaiting_tool_execution`. */
  readonly pendingToolCalls?: SessionToolCall[] | undefined;
}
