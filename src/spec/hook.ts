// Hooks: functions of a project that read or change messages and tool results during a run. `HookSignatures` are the nine hooks
// of Standard Agents exactly as published; `ExtraHookSignatures` are additional hooks.

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

/** A run as hooks receive it. */
export interface HookRun {
  runId: string;
}

/** An ended run as hooks receive it. */
export interface HookRunEnd extends HookRun {
  status: "completed" | "stopped" | "limit" | "error";
  /** Why the run ended; null if there is no reason to name. */
  reason: string | null;
  /** The tokens of the run's model requests, in total. */
  totalTokens: number;
  /** The cost of the run in US dollars; null if it is not known. */
  cost: number | null;
}

/** A step of a run: one model request with the calls of its answer. In the names of hooks, `turn` means a step. */
export interface HookTurn extends HookRun {
  /** The number of the step in its loop, from 1. */
  step: number;
  /** 0 for the run's own steps; at least 1 for the steps of a prompt that was called as a tool. */
  depth: number;
}

/** An ended step as hooks receive it. */
export interface HookTurnEnd extends HookTurn {
  /** `completed`, or the status with which the run ended in this step. */
  status: HookRunEnd["status"];
  /** The answer and the results of its calls. Empty if the step failed before anything was stored. */
  messages: HookMessage[];
}

/** A failure that ends a run, or a prompt that was called as a tool. `step` is the run's last step, 1 if it has none. */
export interface HookError extends HookTurn {
  code: string;
  message: string;
}

/** Progress of a running tool: text, or any JSON value. */
export type HookToolUpdate = { toolCallId: string; toolName: string } & ({ delta: string } | { progress: unknown });

/**
 * Hooks in addition to those of Standard Agents. The names are those of phi-core, in which a turn is a step. After a crash, a hook may be
 * called again for the same run, step or call.
 */
export interface ExtraHookSignatures<
  State = ThreadState,
  Msg = HookMessage,
  ToolCall = HookToolCall,
  ToolResult = HookToolResult,
> {
  /** Called before the first step of a run. False ends the run with the status `stopped`. */
  before_loop: (state: State, run: HookRun) => Promise<boolean | void>;
  /** Called after a run ended and its end was sent. The next run of the thread may have begun. */
  after_loop: (state: State, run: HookRunEnd) => Promise<void>;
  /** Called before a step. False ends the run, or the prompt that was called as a tool, with the status `stopped`. */
  before_turn: (state: State, turn: HookTurn) => Promise<boolean | void>;
  /** Called after a step and its tool calls, also if the step failed or was stopped. */
  after_turn: (state: State, turn: HookTurnEnd) => Promise<void>;
  /**
   * Called once for each run that ends with an error: before the step ends if a request failed, otherwise before the run ends. Also called
   * for a failed request of a prompt that was called as a tool.
   */
  on_error: (state: State, error: HookError) => Promise<void>;
  /**
   * Called before a tool call starts. False skips the call, and the model receives an error result. An object with `arguments` changes
   * the arguments. It cannot change those of a call that a client runs, or that may need an approval.
   */
  before_tool_execution: (
    state: State,
    toolCall: ToolCall,
  ) => Promise<boolean | void | { arguments: Record<string, unknown> }>;
  /** Called after the result of a tool call was stored and sent. */
  after_tool_execution: (state: State, toolCall: ToolCall, toolResult: ToolResult) => Promise<void>;
  /** Called before an update of a running tool is sent. Synchronous, without a time limit. False hides the update from clients. */
  before_tool_execution_update: (state: State, update: HookToolUpdate) => boolean | void;
  /** Called after an update of a running tool was sent. Synchronous, without a time limit. */
  after_tool_execution_update: (state: State, update: HookToolUpdate) => void;
  /** Changes the messages that a prompt includes, before they are converted to the form of a model request. Called after `filter_messages`. */
  transform_context: (state: State, messages: Msg[]) => Promise<Msg[]>;
  /**
   * Converts the messages to the form of a model request. A message that equals the usual form keeps its files and its thinking; any other
   * is sent as text. Called after `transform_context` and before `prefilter_llm_history`.
   */
  convert_to_llm: (state: State, messages: Msg[]) => Promise<LLMMessage[]>;
}

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
