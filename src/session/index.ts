// The package entry `threadhold/session`: the agent API of the rework plan in the caller's process, without a Worker or a thread.
export type { AgentContext, AgentSession } from "./agent-session.ts";
export { createSimpleTool, isLocalTool } from "./agent-tool.ts";
export type {
  AgentTool,
  AnyAgentTool,
  ToolExecution,
  ToolExecutionEvent,
  ToolExecutionEventStream,
  ToolOutput,
  ToolParameters,
} from "./agent-tool.ts";
export { createSession } from "./create-session.ts";
export { execute } from "./execute.ts";
export type { ExecuteStream } from "./execute.ts";
export type { ExecuteOptions, SessionOptions } from "./session-options.ts";
export { ThreadholdError } from "#contract/error.ts";
export type { ErrorCode } from "#contract/error.ts";
export type { Limits } from "#contract/run.ts";
export type { AgentEvent, ExecuteStatus } from "#contract/session/agent-event.ts";
export type { ContextMessage, ToolResultInput, UserInput } from "#contract/session/execute-request.ts";
export type { ExecuteResult } from "#contract/session/execution-events.ts";
export type {
  AbortedMessage,
  AssistantMessage,
  ErrorMessage,
  SessionMessage,
  SessionToolCall,
  ToolResultMessage,
  UserMessage,
} from "#contract/session/session-message.ts";
export type { SessionStatus } from "#contract/session/session-view.ts";
export { defineModel } from "#spec/index.ts";
export type { AnyModelDefinition, ModelDefinition } from "#spec/index.ts";
