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
  /** The messages of this execution, beginning with its input. The history is not among them. */
  readonly turn: Turn;
  /** The new state: the history, the messages of the turn, and what the execution strategy and the middleware added. */
  readonly state: AgentState;
}

/** Settings of one execution. */
export interface ExecutionOptions {
  /** Aborts this execution. */
  signal?: AbortSignal | undefined;
  /**
   * What the tool received that begins this execution. The execution is then that of a sub-agent: it is aborted with the call, and an agent
   * without a model is executed with the parent's. Not needed before the first `await` of the tool.
   */
  parentContext?: ToolContext | undefined;
}

/** The options of an agent: those of `llm`, and those of the agent itself. */
export interface AgentOptions extends Partial<Omit<LLMOptions, "model" | "config">> {
  /** The name in the events of a thread and of an agent that executes this one. It need not be unique. */
  name?: string | undefined;
  /** May be absent in a sub-agent, which is then executed with the model of the agent whose tool executes it. */
  model?: ModelReference | undefined;
  /** Settings of the connection, in place of the provider's. */
  config?: ProviderConfig | undefined;
  /** Default: `loop()`. */
  execution?: ExecutionStrategy | undefined;
  /** `before` is called in this order, `after` and `onError` in the reverse order. */
  middleware?: readonly Middleware[] | undefined;
  /** Functions that observe the steps of an execution, and that may end it. */
  strategy?: AgentStrategy | undefined;
  /**
   * The most levels of sub-agents below this agent, from 0 to `Infinity`. It ends recursions, and bounds nothing else. An agent that is itself
   * a sub-agent has at most the levels that its parent leaves. Default: 32.
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
   * Executes the agent. Throws a `UPPError`, or what a hook, an approval or a middleware threw; `partialState` then returns the state up to
   * the error.
   */
  generate(input: AgentInput, state: AgentState, options?: ExecutionOptions): Promise<GenerateResult>;
  /** Executes the agent and gives its events. The execution begins at once; leaving the loop over the events aborts it. */
  stream(input: AgentInput, state: AgentState, options?: ExecutionOptions): AgentStreamResult;
  /** The same as `generate`: the returned state contains the input and the answer. */
  ask(input: AgentInput, state: AgentState, options?: ExecutionOptions): Promise<GenerateResult>;
  /** Executes the agent with an empty state and returns the turn. */
  query(input: AgentInput, options?: ExecutionOptions): Promise<Turn>;
}

/** The events of an execution in progress. They can be read once. */
export interface AgentStreamResult extends AsyncIterable<AgentStreamEvent> {
  /** Resolves when the execution has ended; rejects as `generate` does. */
  readonly result: Promise<GenerateResult>;
  /** Aborts the execution. */
  abort(): void;
}

/** What an execution strategy executes. */
export interface ExecutionContext {
  readonly agent: Agent;
  /** The model with the agent's options. Its tools receive the agent's context. */
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

/** How an agent is executed: `loop`, `react`, `plan`, or a strategy of the program. */
export interface ExecutionStrategy {
  readonly name: string;
  execute(context: ExecutionContext): Promise<GenerateResult>;
  /**
   * Executes and gives the events. Without this function a stream of the agent calls `execute`; its events are then those of the requests
   * of `context.llm` and of the hooks that `execute` calls.
   */
  stream?(context: ExecutionContext): AgentStreamResult;
}

/**
 * Functions that observe the steps of an execution. Promises are awaited, except that of `onAct`. An exception of one of them ends the
 * execution.
 */
export interface AgentStrategy {
  /** Called after each step. With true, the execution ends. */
  stopCondition?(state: AgentState): boolean | Promise<boolean>;
  /** Called when a step begins. `step` counts from 1 in each execution. */
  onStepStart?(step: number, state: AgentState): void | Promise<void>;
  /** Called with the reasoning of a step (`react`). */
  onReason?(step: number, reasoning: string): void | Promise<void>;
  /** Called when an answer calls tools, before they run. */
  onAct?(step: number, actions: readonly ToolCall[]): void | Promise<void>;
  /** Called with the results of the calls of an answer. */
  onObserve?(step: number, observations: readonly ToolResult[]): void | Promise<void>;
  /** Called when a step has ended. The turn contains the messages of this step. */
  onStepEnd?(step: number, result: { turn: Turn; state: AgentState }): void | Promise<void>;
  /** Called when the execution has ended without an error. */
  onComplete?(result: GenerateResult): void | Promise<void>;
  /** Called when the execution failed. A returned result becomes that of the execution. */
  onError?(
    error: Error,
    state: AgentState,
  ): void | GenerateResult | undefined | Promise<void | GenerateResult | undefined>;
}

/** What a middleware receives. */
export interface MiddlewareContext {
  readonly agent: Agent;
  readonly input: AnyMessage;
  readonly state: AgentState;
  /** Data of this execution. Each middleware of the execution reads and writes the same object. */
  readonly metadata: Record<string, unknown>;
}

/** Code around the executions of an agent. */
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
