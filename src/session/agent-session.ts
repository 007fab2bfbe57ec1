// A session as its holder sees it (agent API rework plan, "Agent Sessions").

import type { ContextMessage } from "#contract/session/execute-request.ts";
import type { SessionMessage, SessionToolCall } from "#contract/session/session-message.ts";
import type { SessionStatus } from "#contract/session/session-view.ts";

import type { AnyAgentTool } from "./agent-tool.ts";

/** What a conversation begins with (agent API rework plan, `AgentContext`). */
export interface AgentContext {
  /** What the model is told before everything else. */
  systemPrompt?: string;
  /** An earlier conversation, oldest first: the `messages` of a session, which may have been JSON in between, or one by hand. */
  messages?: readonly ContextMessage[];
  /** What the model may call. Tools without a function are remote. */
  tools?: readonly AnyAgentTool[];
}

/**
 * A session kept in memory. It shows what is so now: hold on to it and look again. JSON can keep what it shows, and
 * `createSession` makes a session of that again.
 */
export interface AgentSession {
  readonly id: string;
  readonly status: SessionStatus;
  /** Name of the model that answered last, or of the one that will answer first. */
  readonly model: string;
  /** The whole conversation; a message is here once it was told. What is done to the list changes nothing of the session. */
  readonly messages: SessionMessage[];
  /** USD over all executions; null where a price is missing. A restored session counts what its messages say. */
  readonly totalCost: number | null;
  /** The calls that somebody is to answer; undefined unless the status is `awaiting_tool_execution`. */
  readonly pendingToolCalls?: SessionToolCall[] | undefined;
}
