// The events of an agent's stream: those of the agent, and those of its model requests.

import type { StreamEvent } from "../upp/stream-event.ts";
import type { SubagentEvent } from "../upp/tool-context.ts";
import type { TokenUsage } from "../upp/turn.ts";
import type { ToolCall, ToolResult } from "../upp/upp-tool.ts";
import type { PlanStep } from "./plan-step.ts";

/** The data of each kind of event. */
export interface UAPEventData {
  /** The step begins. `plan` is the plan so far. */
  step_start: { plan?: readonly PlanStep[] };
  /** The step has ended. `usage` counts the tokens of the step. */
  step_end: { usage: TokenUsage; plan?: readonly PlanStep[] };
  reasoning: { reasoning: string };
  action: { toolCalls: readonly ToolCall[] };
  observation: { observations: readonly ToolResult[] };
  subagent_start: Extract<SubagentEvent, { type: "subagent_start" }>;
  subagent_event: Extract<SubagentEvent<AgentStreamEvent>, { type: "subagent_event" }>;
  subagent_end: Extract<SubagentEvent, { type: "subagent_end" }>;
}

/** The kind of an agent's event. */
export type UAPEventType = keyof UAPEventData;

/** An event of an agent. */
export type UAPEvent = {
  [Type in UAPEventType]: {
    type: Type;
    /** The number of the step, from 1. */
    step: number;
    agentId: string;
    data: UAPEventData[Type];
  };
}[UAPEventType];

/** An event of an agent's stream. */
export type AgentStreamEvent = { source: "uap"; uap: UAPEvent } | { source: "upp"; upp: StreamEvent };
