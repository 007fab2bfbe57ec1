// Hooks: functions of a project that read or change messages and tool results during a run. `HookSignatures` are the nine hooks
// of Standard Agents exactly as published; additional hooks belong in `ExtraHookSignatures`.

import type { Message } from "./message.ts";
import type { ThreadState } from "./thread-state.ts";

/** The first argument of every hook (Standard Agents, hooks). */
export type HookContext = ThreadState;

/** A message as a hook receives it (Standard Agents, hooks). */
export type HookMessage = Message;

/** A tool call as a hook receives it; `arguments` is JSON text (Standard Agents, hooks). */
export interface HookToolCall {
  id: string;
  type: "function";
  function: {
    name: string;
    arguments: string;
  };
}

/** A tool's result as a hook receives it (Standard Agents, hooks). */
export interface HookToolResult {
  status: "success" | "error";
  result?: string;
  error?: string;
  /** Stored in the log only. */
  stack?: string;
}

/** A message in the form that is sent to a model (Standard Agents, hooks). */
export interface LLMMessage {
  role: string;
  content: string | null;
  tool_calls?: unknown;
  tool_call_id?: string;
  name?: string;
}

type Fields = Record<string, unknown>;

/** The published hooks with their signatures (Standard Agents, hooks). */
export interface HookSignatures<
  State = ThreadState,
  Msg = HookMessage,
  ToolCall = HookToolCall,
  ToolResult = HookToolResult,
> {
  /** Selects the stored messages that are used for a model request. */
  filter_messages: (state: State, messages: Msg[]) => Promise<Msg[]>;
  /** Changes the history of a model request last, in the form that is sent. */
  prefilter_llm_history: (state: State, messages: LLMMessage[]) => Promise<LLMMessage[]>;
  /** Changes a message before it is stored. Called once for each message, from any source. */
  before_create_message: (state: State, message: Fields) => Promise<Fields>;
  /** Called after a message was stored. */
  after_create_message: (state: State, message: Fields) => Promise<void>;
  /** Changes an update of a message before it is stored. */
  before_update_message: (state: State, messageId: string, updates: Fields) => Promise<Fields>;
  /** Called after a message was updated. */
  after_update_message: (state: State, message: Msg) => Promise<void>;
  /** Changes a tool's result before it is stored. */
  before_store_tool_result: (state: State, toolCall: Fields, toolResult: Fields) => Promise<Fields>;
  /** Called after a successful tool call. May return another result; null keeps the original. */
  after_tool_call_success: (state: State, toolCall: ToolCall, toolResult: ToolResult) => Promise<ToolResult | null>;
  /** Called after a failed tool call. May return another result; null keeps the original. */
  after_tool_call_failure: (state: State, toolCall: ToolCall, toolResult: ToolResult) => Promise<ToolResult | null>;
}

/** Hooks in addition to those of Standard Agents. None yet. `defineHook` and the compiler accept every name of this interface. */
export interface ExtraHookSignatures {}

/** Names of the published hooks (Standard Agents, hooks). */
export type HookName = keyof HookSignatures;

/** The signatures of all hooks. */
export interface AllHookSignatures extends HookSignatures, ExtraHookSignatures {}

/** Names of all hooks. */
export type AnyHookName = keyof AllHookSignatures;

/** A hook as a pair of name and function (Standard Agents, hooks). */
export type HookDefinition<
  K extends HookName = HookName,
  State = ThreadState,
  Msg = HookMessage,
  ToolCall = HookToolCall,
  ToolResult = HookToolResult,
> = [K, HookSignatures<State, Msg, ToolCall, ToolResult>[K]];

/** The function of any hook. */
export type HookFunction = AllHookSignatures[AnyHookName];
