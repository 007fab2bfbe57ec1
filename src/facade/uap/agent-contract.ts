// The types of `threadhold/agents`: an agent, its options, its executions and its hooks. The types of events are in `uap-event.ts`.

import type { LLMInstance, LLMOptions } from "../upp/llm.ts";
import type { ModelReference, ProviderConfig } from "../upp/model-reference.ts";
import type { ToolContext } from "../upp/tool-context.ts";
import type { Turn } from "../upp/turn.ts";
import type { AnyMessage } from "../upp/upp-message.ts";
import type { Tool, ToolCall, ToolResult } from "../upp/upp-tool.ts";
import type { AgentState } from "./agent-state.ts";
import type { CheckpointStore } from "./checkpoint-store.ts";
import type { AgentStreamEvent } from "./uap-event.ts";

/** The input of an execution: a text, which becomes a user's message, or a message. */
export type AgentInput = string | AnyMessage;

/** The result of an execution. */
export interface GenerateResult {
  /** The messages of this execution, beginning with its input and without the history. */
  readonly turn: Turn;
  /** The new state: the history, the messages of the turn, and what the execution strategy and the middleware added. */
  readonly state: AgentState;
}

/** Settings of one execution. */
export interface ExecutionOptions {
  /** Aborts this execution. It then waits neither for hooks and middleware nor for the results of running tools. */
  signal?: AbortSignal | undefined;
  /**
   * The second argument of the tool that starts this execution. The agent is then a sub-agent: an abort of the call aborts it, and without
   * a model of its own it uses its parent's. Not needed if the tool starts the execution before its first `await`.
   */
  parentContext?: ToolContext | undefined;
}

/** The options of `llm`. Each may also be undefined, such as an option that a program passes on. */
type InheritedOptions = {
  [Name in Exclude<keyof LLMOptions, "model" | "config">]?: LLMOptions[Name] | undefined;
};

/** The options of an agent: those of `llm`, and those of the agent itself. */
export interface AgentOptions extends InheritedOptions {
  /** The name in the events of a thread and of an agent that executes this one. It need not be unique. */
  name?: string | undefined;
  /** May be absent in a sub-agent, which then uses the model of its parent: the agent whose tool executes it. */
  model?: ModelReference | undefined;
  /** Connection settings. They replace those of the provider. */
  config?: ProviderConfig | undefined;
  /** Default: `loop()`. */
  execution?: ExecutionStrategy | undefined;
  /** `before` of each middleware is called in the order of the list, `after` and `onError` in the reverse order. */
  middleware?: readonly (Middleware & NoFunction)[] | undefined;
  /** Hooks: functions that are called at the steps of an execution, and that may end it. */
  strategy?: AgentStrategy | undefined;
  /**
   * The maximum number of levels of sub-agents below this agent, from 0 to `Infinity`. In a sub-agent, it can only reduce the levels that
   * its parent allows. Default: `Infinity` (UAP-1.0, §2.4 and §14.3: no limits by default).
   */
  maxSubagentDepth?: number | undefined;
  /** Receives the state after each step. */
  checkpoints?: CheckpointStore | undefined;
  /** The session of the checkpoints. Default: `metadata.sessionId` of the state, or a new UUIDv4. */
  sessionId?: string | undefined;
}

/**
 * An agent: a model with tools and an execution strategy. Its properties are its options, so `agent({ ...coder, execution: react() })` is an
 * agent with the same model and tools. The new agent has its own id.
 */
export interface Agent extends Readonly<AgentOptions> {
  /** A UUIDv4. */
  readonly id: string;
  readonly tools: readonly Tool[];
  /**
   * Executes the agent. Throws a `UPPError`, or the exception of a hook, an approval or a middleware. `partialState(error)` returns the state
   * up to the error.
   */
  generate(input: AgentInput, state: AgentState, options?: ExecutionOptions): Promise<GenerateResult>;
  /** Executes the agent and returns its events. The execution begins at once; leaving the `for await` loop over the events aborts it. */
  stream(input: AgentInput, state: AgentState, options?: ExecutionOptions): AgentStreamResult;
  /** The same as `generate`: the returned state contains the input and the answer. */
  ask(input: AgentInput, state: AgentState, options?: ExecutionOptions): Promise<GenerateResult>;
  /** Executes the agent with an empty state and returns the turn. */
  query(input: AgentInput, options?: ExecutionOptions): Promise<Turn>;
  /** The id, the name, and the id of the model, for logs. The connection settings are left out, because they may contain keys. */
  toJSON(): { id: string; name?: string; model?: string };
}

/** The events of an execution in progress. They can be read once. */
export interface AgentStreamResult extends AsyncIterable<AgentStreamEvent> {
  /** Resolves when the execution has ended; rejects as `generate` does. */
  readonly result: Promise<GenerateResult>;
  /** Aborts the execution. */
  abort(): void;
}

/** The argument of an execution strategy. */
export interface ExecutionContext {
  readonly agent: Agent;
  /** An instance of `llm` with the options of the agent. It passes the execution of the agent to its tools. */
  readonly llm: LLMInstance;
  readonly input: AnyMessage;
  /** The state without the input. */
  readonly state: AgentState;
  readonly tools: readonly Tool[];
  /**
   * The hooks of the agent. In addition, a call of `onStepEnd` saves a checkpoint, and in a stream the calls of hooks emit the agent's
   * events.
   */
  readonly strategy: AgentStrategy;
  readonly signal?: AbortSignal | undefined;
  /** Present if the agent has checkpoints. */
  readonly sessionId?: string | undefined;
}

/** Decides how an agent is executed: `loop`, `react`, `plan`, or a custom strategy. */
export interface ExecutionStrategy {
  readonly name: string;
  execute(context: ExecutionContext): Promise<GenerateResult>;
  /**
   * Executes and returns the events. Without this function, a stream of the agent calls `execute`, and has the events of the requests of
   * `context.llm` and of the hooks that `execute` calls.
   */
  stream?(context: ExecutionContext): AgentStreamResult;
}

/**
 * The hooks of an execution: functions that are called at its steps, and that may end it. A promise of a hook is awaited until an abort of
 * the execution, except that of `onAct`. Only the values that `stopCondition` and `onError` return are used. An exception of a hook ends
 * the execution.
 */
export interface AgentStrategy {
  /** Called after each step. If it returns true, or another value that counts as true in JavaScript, the execution ends. */
  stopCondition?(state: AgentState): boolean | Promise<boolean>;
  /** Called when a step begins. `step` counts from 1 in each execution. */
  onStepStart?(step: number, state: AgentState): unknown;
  /** Called with the reasoning of a step of `react`. */
  onReason?(step: number, reasoning: string): unknown;
  /** Called when an answer calls tools, before they run. */
  onAct?(step: number, actions: readonly ToolCall[]): unknown;
  /** Called with the results of the calls of an answer. */
  onObserve?(step: number, observations: readonly ToolResult[]): unknown;
  /** Called when a step has ended. The turn contains the messages of this step. */
  onStepEnd?(step: number, result: { turn: Turn; state: AgentState }): unknown;
  /** Called when the execution has ended without an error. */
  onComplete?(result: GenerateResult): unknown;
  /** Called when the execution failed. A returned result becomes that of the execution. */
  onError?(
    error: Error,
    state: AgentState,
  ): void | GenerateResult | undefined | Promise<void | GenerateResult | undefined>;
}

/** The argument of a middleware's functions. */
export interface MiddlewareContext {
  readonly agent: Agent;
  readonly input: AnyMessage;
  readonly state: AgentState;
  /** Data of this execution. Each middleware of the execution reads and writes the same object. */
  readonly metadata: Record<string, unknown>;
}

/** Excludes functions. A function has a `name`, so `[logging]` in place of `[logging()]` would have the type of a middleware. */
interface NoFunction {
  call?: never;
}

/** Functions that are called before and after each execution of an agent. At least one of the three is needed. */
export interface Middleware {
  readonly name: string;
  /** Called before the execution. A returned context replaces the context. */
  before?(
    context: MiddlewareContext,
  ): MiddlewareContext | void | undefined | Promise<MiddlewareContext | void | undefined>;
  /** Called after the execution, in the reverse order. A returned result replaces the result. */
  after?(
    context: MiddlewareContext,
    result: GenerateResult,
  ): GenerateResult | void | undefined | Promise<GenerateResult | void | undefined>;
  /** Called when the execution, or a middleware after this one, failed. A returned result becomes that of the execution. */
  onError?(
    context: MiddlewareContext,
    error: Error,
  ): GenerateResult | void | undefined | Promise<GenerateResult | void | undefined>;
}
