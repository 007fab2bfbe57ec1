// The events of a loop, as phi-core's document names them (architecture §4, AgentEvent). They are plain data. Times are RFC 3339 texts.

import type { Json } from "#contract/json.ts";

import type { AgentMessage, ToolResultMessage, Usage } from "./loop-messages.ts";
import type { ToolResult } from "./loop-tool.ts";

/**
 * How a loop relates to earlier ones (REQ-180). An origin has none. Tags are RFC 3339 times, made by the caller; `rerunKind` and
 * `branchKind` make them.
 */
export type ContinuationKind = "Default" | { Rerun: { tag: string } } | { Branch: { tag: string } };

/** What caused a turn (REQ-181). */
export type TurnTrigger = "User" | "SubAgent" | "Continuation" | "Branch";

/** A piece of an answer (REQ-008). */
export type StreamDelta =
  | { Text: { delta: string } }
  | { Thinking: { delta: string } }
  | { ToolCallDelta: { delta: string } };

/** An event of a loop. Every event except those of parallel loops has the id of its loop. */
export type AgentEvent =
  | {
      type: "AgentStart";
      agent_id: string;
      session_id: string;
      loop_id: string;
      parent_loop_id: string | null;
      continuation_kind: ContinuationKind | null;
      timestamp: string;
      metadata: Json;
    }
  | {
      type: "AgentEnd";
      loop_id: string;
      /** All new messages of the loop. */
      messages: AgentMessage[];
      usage: Usage;
      timestamp: string;
      /** Why an input filter refused the prompts; else null. */
      rejection: string | null;
    }
  | { type: "TurnStart"; loop_id: string; turn_index: number; timestamp: string; triggered_by: TurnTrigger }
  | {
      type: "TurnEnd";
      loop_id: string;
      message: AgentMessage;
      usage: Usage;
      timestamp: string;
      tool_results: ToolResultMessage[];
    }
  | { type: "MessageStart"; loop_id: string; message: AgentMessage }
  /** `message` is the answer so far. */
  | { type: "MessageUpdate"; loop_id: string; message: AgentMessage; delta: StreamDelta }
  | { type: "MessageEnd"; loop_id: string; message: AgentMessage }
  | { type: "ToolExecutionStart"; loop_id: string; tool_call_id: string; tool_name: string; args: Json }
  | {
      type: "ToolExecutionUpdate";
      loop_id: string;
      tool_call_id: string;
      tool_name: string;
      partial_result: ToolResult;
    }
  | {
      type: "ToolExecutionEnd";
      loop_id: string;
      tool_call_id: string;
      tool_name: string;
      result: ToolResult;
      is_error: boolean;
      /** The loop that the tool ran; null for a tool that ran none. */
      child_loop_id: string | null;
    }
  | { type: "ProgressMessage"; loop_id: string; tool_call_id: string; tool_name: string; text: string }
  | { type: "InputRejected"; loop_id: string; reason: string }
  | { type: "ParallelLoopStart"; session_id: string; loop_ids: string[]; timestamp: string }
  | {
      type: "ParallelLoopEnd";
      session_id: string;
      selected_loop_id: string;
      selected_config_index: number;
      evaluation_usage: Usage;
      timestamp: string;
    };

/** The event of one type. */
export type AgentEventOf<T extends AgentEvent["type"]> = Extract<AgentEvent, { type: T }>;

/** The kind of a loop that repeats an earlier one. The tag is the current time. */
export function rerunKind(now: Date = new Date()): ContinuationKind {
  return { Rerun: { tag: now.toISOString() } };
}

/** The kind of a loop that takes another path from an earlier message. The tag is the current time. */
export function branchKind(now: Date = new Date()): ContinuationKind {
  return { Branch: { tag: now.toISOString() } };
}
