// The package entry `threadhold/agents`: agents as functions, after UAP-1.0. It exports no name of `threadhold/upp`. The files that a call of
// `generate` passes through are listed in docs/design/ways.md.

export { agent } from "./uap-agent.ts";
export type { AgentStreamEvent, UAPEvent, UAPEventData, UAPEventType } from "./uap-event.ts";
export { AgentState } from "./agent-state.ts";
export type { CheckpointMetadata, CheckpointStore } from "./checkpoint-store.ts";
export { partialState } from "./partial-state.ts";
export type { PlanStep, PlanStepJSON, PlanStepStatus } from "./plan-step.ts";
export type { AgentStateJSON } from "./state-json.ts";
export { subagentTool } from "./subagent-tool.ts";
export type { SubagentToolOptions } from "./subagent-tool.ts";
export type { SubagentExecutionTrace, SubagentExecutionTraceJSON, ToolExecutionTrace } from "./subagent-trace.ts";
export { ThreadNode, ThreadTree } from "./thread-tree.ts";
export type { ThreadNodeJSON, ThreadTreeJSON } from "./thread-tree.ts";
export type {
  Agent,
  AgentInput,
  AgentOptions,
  AgentStrategy,
  AgentStreamResult,
  ExecutionContext,
  ExecutionOptions,
  ExecutionStrategy,
  GenerateResult,
  Middleware,
  MiddlewareContext,
} from "./agent-contract.ts";
