// The second argument of a tool's function. An agent (`threadhold/agents`) adds the fields that a tool needs to execute another agent.

import type { ModelReference, ProviderConfig } from "./model-reference.ts";
import type { TokenUsage } from "./turn.ts";

/** An execution of an agent, and the execution whose tool began it. */
export interface ParentContext {
  readonly agentId: string;
  /** The id of the state with which the execution began. */
  readonly stateId: string;
  /** Present if the agent has checkpoints. */
  readonly sessionId?: string;
  /** The execution whose tool began this one. */
  readonly parentContext?: ParentContext;
  /** The levels of sub-agents that may be below this execution. Absent without a limit. */
  readonly remainingDepth?: number;
}

/** The fields of every event of a sub-agent, which is an agent that a tool executes. */
interface SubagentFields {
  subagentId: string;
  /** The name of the sub-agent's kind, such as `explorer`. */
  subagentType: string;
  /** The call whose tool executes the sub-agent. */
  parentToolCallId: string;
}

/** A tool call that a sub-agent made. */
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

/** The call that runs the tool. If an agent made the call, also the execution of the agent. */
export interface ToolContext extends Partial<ParentContext> {
  /** The id of the call. */
  readonly toolCallId: string;
  /** Aborts when the request is aborted. The result of the call is then ignored. */
  readonly signal: AbortSignal;
  /** The model of the agent that calls the tool. This field and the following ones are absent without an agent. */
  readonly parentModel?: ModelReference;
  /** The settings of the connection in the options of the agent. */
  readonly parentConfig?: ProviderConfig;
  /**
   * Emits an event of a sub-agent in the agent's stream. The end of a sub-agent is also stored in the agent's state, as a trace. Throws for
   * an event without an id, or in a wrong order. Returns a promise if the reader of the stream is slow: a tool that awaits it emits no
   * faster than the reader reads.
   */
  onSubagentEvent?: (event: SubagentEvent) => unknown;
}
