// Hooks: the points of a run where a project's code sees or changes what passes. The document's nine are
// `HookSignatures`, kept exactly as published; hooks of ours go into `ExtraHookSignatures`.

import type { Message } from "./message.ts";
import type { ThreadState } from "./thread-state.ts";

/** What a hook gets first (Standard Agents, hooks). */
export type HookContext = ThreadState;

/** A message as hooks see it (Standard Agents, hooks). */
export type HookMessage = Message;

/** A tool call as hooks see it; `arguments` is JSON text (Standard Agents, hooks). */
export interface HookToolCall {
  id: string;
  type: "function";
  function: {
    name: string;
    arguments: string;
  };
}

/** A tool's result as hooks see it (Standard Agents, hooks). */
export interface HookToolResult {
  status: "success" | "error";
  result?: string;
  error?: string;
  /** Kept in the log. */
  stack?: string;
}

/** A message in the form models are sent (Standard Agents, hooks). */
export interface LLMMessage {
  role: string;
  content: string | null;
  tool_calls?: unknown;
  tool_call_id?: string;
  name?: string;
}

type Fields = Record<string, unknown>;

/** The document's hooks and their signatures (Standard Agents, hooks). */
export interface HookSignatures<
  State = ThreadState,
  Msg = HookMessage,
  ToolCall = HookToolCall,
  ToolResult = HookToolResult,
> {
  /** Chooses which stored messages go on towards the model. */
  filter_messages: (state: State, messages: Msg[]) => Promise<Msg[]>;
  /** Last change to the history, in the form the model is sent. */
  prefilter_llm_history: (state: State, messages: LLMMessage[]) => Promise<LLMMessage[]>;
  /** Changes a message before it is stored; once per message, whoever makes it. */
  before_create_message: (state: State, message: Fields) => Promise<Fields>;
  /** Sees a message that was stored. */
  after_create_message: (state: State, message: Fields) => Promise<void>;
  /** Changes an update before it is stored. */
  before_update_message: (state: State, messageId: string, updates: Fields) => Promise<Fields>;
  /** Sees a message that was updated. */
  after_update_message: (state: State, message: Msg) => Promise<void>;
  /** Changes a tool's result before it is stored. */
  before_store_tool_result: (state: State, toolCall: Fields, toolResult: Fields) => Promise<Fields>;
  /** Sees a success and may replace its result; null keeps it. */
  after_tool_call_success: (state: State, toolCall: ToolCall, toolResult: ToolResult) => Promise<ToolResult | null>;
  /** Sees a failure and may replace its result; null keeps it. */
  after_tool_call_failure: (state: State, toolCall: ToolCall, toolResult: ToolResult) => Promise<ToolResult | null>;
}

/** Hooks beyond the document's. None yet; a name added here is known to `defineHook` and the compiler's types. */
export interface ExtraHookSignatures {}

/** The document's hook names (Standard Agents, hooks). */
export type HookName = keyof HookSignatures;

/** Every hook there is. */
export interface AllHookSignatures extends HookSignatures, ExtraHookSignatures {}

/** Every hook's name. */
export type AnyHookName = keyof AllHookSignatures;

/** A hook as a pair of name and function (Standard Agents, hooks). */
export type HookDefinition<
  K extends HookName = HookName,
  State = ThreadState,
  Msg = HookMessage,
  ToolCall = HookToolCall,
  ToolResult = HookToolResult,
> = [K, HookSignatures<State, Msg, ToolCall, ToolResult>[K]];

/** A hook's function, whichever hook it is. */
export type HookFunction = AllHookSignatures[AnyHookName];
