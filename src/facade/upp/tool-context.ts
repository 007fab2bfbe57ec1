// What a tool receives in addition to its arguments. An agent (`threadhold/agents`) adds what a tool needs to execute another agent.

import type { ModelReference, ProviderConfig } from "./model-reference.ts";
import type { TokenUsage } from "./turn.ts";

/** The execution of an agent, and the execution whose tool began it. */
export interface ParentContext {
  readonly agentId: string;
  readonly stateId: string;
  /** Present if the agent has checkpoints. */
  readonly sessionId?: string;
  readonly parentContext?: ParentContext;
}

/** The fields of every event of a sub-agent, which is an agent that a tool executes. */
interface SubagentFields {
  subagentId: string;
  /** The name of the sub-agent's kind, such as `explorer`. */
  subagentType: string;
  /** The call whose tool executes the sub-agent. */
  parentToolCallId: string;
}

/** A call of a sub-agent. */
export interface SubagentToolExecution {
  toolName: string;
  toolCallId?: string;
  arguments: Record<string, unknown>;
  result: unknown;
  isError?: boolean;
  /** Milliseconds. */
  duration?: number;
}

/** An event of a sub-agent. `Inner` is the type of the sub-agent's own events. */
export type SubagentEvent<Inner = object> =
  | (SubagentFields & {
      type: "subagent_start";
      /** The input of the sub-agent. */
      prompt: string;
      /** Milliseconds since 1970. */
      timestamp: number;
    })
  | (SubagentFields & { type: "subagent_event"; innerEvent: Inner })
  | (SubagentFields & {
      type: "subagent_end";
      success: boolean;
      /** The text of the sub-agent's answer. */
      result?: string;
      /** The message of the error. */
      error?: string;
      /** Milliseconds since 1970. */
      timestamp: number;
      toolExecutions?: readonly SubagentToolExecution[];
      usage?: TokenUsage;
    });

/** A call, for the tool that it runs. */
export interface ToolContext {
  /** The id of the call. */
  toolCallId: string;
  /** Aborts when the request is aborted. The result of the call is then ignored. */
  signal: AbortSignal;
  /** The model of the agent that executes the tool. This field and the following ones are absent without an agent. */
  parentModel?: ModelReference;
  /** The settings of the connection of the agent's model. */
  parentConfig?: ProviderConfig;
  agentId?: string;
  /** The id of the state with which the execution began. */
  stateId?: string;
  /** The execution of the agent. A sub-agent receives it as `parentContext`. */
  parentContext?: ParentContext;
  /** Emits an event of a sub-agent in the agent's stream. The end of a sub-agent is also stored in the agent's state. */
  onSubagentEvent?(event: SubagentEvent): void;
}
