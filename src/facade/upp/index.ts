// The package entry `threadhold/upp`: the functions and types of UPP-1.2 that UAP-1.0 uses. Each provider has an entry of its own.

export type {
  AssistantContent,
  AudioBlock,
  BinaryBlock,
  ContentBlock,
  DocumentBlock,
  DocumentSource,
  ImageBlock,
  ImageSource,
  ReasoningBlock,
  TextBlock,
  UserContent,
  VideoBlock,
} from "./content-block.ts";
export type { BlockJSON } from "./block-json.ts";
export { bindModel } from "./bound-model.ts";
export type { BoundModel, LLMRequest, LLMResponse, LLMStreamResult } from "./bound-model.ts";
export { llm } from "./llm.ts";
export type { History, InferenceInput, LLMInstance, LLMOptions, StreamResult } from "./llm.ts";
export type {
  KeySource,
  LLMCapabilities,
  ModelOptions,
  ModelReference,
  Provider,
  ProviderConfig,
  RetryStrategy,
} from "./model-reference.ts";
export type { EventDelta, StreamEvent, StreamEventType } from "./stream-event.ts";
export { messageFromJSON } from "./message-json.ts";
export type { TokenUsage, Turn } from "./turn.ts";
export { ErrorCode, UPPError } from "./upp-error.ts";
export type { Modality } from "./upp-error.ts";
export {
  AssistantMessage,
  isAssistantMessage,
  isToolResultMessage,
  isUserMessage,
  Message,
  ToolResultMessage,
  UserMessage,
} from "./upp-message.ts";
export type { AnyMessage, MessageJSON, MessageMetadata, MessageOptions, MessageType } from "./upp-message.ts";
export type { ParentContext, SubagentEvent, SubagentToolExecution, ToolContext } from "./tool-context.ts";
export { Thread } from "./upp-thread.ts";
export type { ThreadJSON, ThreadOptions } from "./upp-thread.ts";
export type {
  BeforeCallDecision,
  JSONSchema,
  Tool,
  ToolCall,
  ToolExecution,
  ToolParams,
  ToolResult,
  ToolUseStrategy,
} from "./upp-tool.ts";
