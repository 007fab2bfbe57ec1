// The entry `threadhold/loop`: the agent loop as a library, after phi-core.

export { agentLoop, agentLoopContinue } from "./agent-loop.ts";
export type { AgentContext } from "./agent-context.ts";
export { branchKind, rerunKind } from "./loop-event.ts";
export type { AgentEvent, AgentEventOf, ContinuationKind, StreamDelta, TurnTrigger } from "./loop-event.ts";
export { createTool, textResult, ToolError } from "./loop-tool.ts";
export type { AgentTool, ToolContext, ToolErrorKind, ToolOptions, ToolResult } from "./loop-tool.ts";
export type { AgentSnapshot } from "./agent-snapshot.ts";
export { BasicAgent } from "./basic-agent.ts";
export type { AgentRun } from "./basic-agent.ts";
export { CancellationToken } from "./cancellation-token.ts";
export {
  cacheHitRate,
  combineUsage,
  extensionMessage,
  isLlmMessage,
  textOfContent,
  userMessage,
} from "./loop-messages.ts";
export type {
  AgentMessage,
  AssistantMessage,
  Content,
  ExtensionMessage,
  ImageContent,
  Message,
  StopReason,
  TextContent,
  ThinkingContent,
  ToolCallContent,
  ToolResultMessage,
  TurnId,
  Usage,
  UserMessage,
} from "./loop-messages.ts";
export { convertTool } from "./convert-tool.ts";
export type { RunnableTool } from "./convert-tool.ts";
export { channel } from "./event-channel.ts";
export type { EventChannel, EventReceiver, EventSender } from "./event-channel.ts";
export type {
  AgentLoopConfig,
  FilterResult,
  InputFilter,
  LoopCallbacks,
  ToolExecutionStrategy,
} from "./loop-config.ts";
export { LoopError } from "./loop-error.ts";
export { messagesFromJson, messagesToJson } from "./saved-messages.ts";
export type { QueueMode } from "./message-queue.ts";
export { compactMessages } from "./context/compact-messages.ts";
export type { CompactionStrategy } from "./context/compaction-strategy.ts";
export { defaultContextConfig } from "./context/context-config.ts";
export type { CompactionConfig, CompleteContextConfig, ContextConfig } from "./context/context-config.ts";
export { ContextTracker } from "./context/context-tracker.ts";
export { defaultExecutionLimits, ExecutionTracker } from "./context/execution-tracker.ts";
export type { CompleteExecutionLimits, Duration, ExecutionLimits } from "./context/execution-tracker.ts";
export { estimateTokens, HeuristicTokenCounter, messageTokens } from "./context/token-counter.ts";
export type { TokenCounter } from "./context/token-counter.ts";
export type { ApiProtocol } from "./provider/api-protocol.ts";
export { ModelConfig } from "./provider/model-config.ts";
export type { CostConfig, ModelConfigFields, OpenAiCompat } from "./provider/model-config.ts";
export { delayForAttempt } from "./provider/retry-config.ts";
export { defaultCacheConfig, defaultRetryConfig } from "./provider/stream-provider.ts";
export type {
  CacheConfig,
  CacheStrategy,
  RetryConfig,
  StreamConfig,
  StreamEvent,
  StreamProvider,
  StreamSender,
  ThinkingLevel,
  ToolDefinition,
} from "./provider/stream-provider.ts";
