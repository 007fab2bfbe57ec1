// The strategies that a project defines in `agents/strategies/`. A strategy decides what each model request of a turn contains, and when
// the turn ends.

import type { WorkerEnv } from "./register.ts";

/** A tool call of a step and its result. */
export interface StrategyCall {
  id: string;
  /** Name of the tool. */
  name: string;
  /** The arguments; a string if the model wrote something else than a JSON object. */
  arguments: Record<string, unknown> | string;
  isError: boolean;
  /** The text of the result or of the error. */
  result: string;
}

/** A finished step of the turn: the model's answer, and the results of its calls. */
export interface StrategyStep {
  /** Id of the stored message of the answer. */
  messageId: string;
  /** Null if the answer has no text. */
  text: string | null;
  /** The text of the model's thinking; null for none. */
  thinking: string | null;
  /** The JSON object or list that the answer consists of; undefined for any other answer. */
  data?: unknown;
  calls: StrategyCall[];
  stopReason: string | null;
  /** Tokens of the answer. */
  tokens: { input: number; output: number };
  /** USD; null if the price is unknown. */
  cost: number | null;
}

/** The arguments of a strategy's decision. */
export interface StrategyTurn<State> {
  /** The last step; null at the beginning of the turn. */
  last: StrategyStep | null;
  /** The `state` of the decision before; null at the beginning of the turn, and if that decision had none. */
  state: State | null;
  /** The bindings, variables and secrets of the Worker, by name. */
  env: WorkerEnv;
}

/** A step of a plan, as the event `plan` contains it. */
export interface StrategyPlanStep {
  id: string;
  description: string;
  /** Name of the tool that the step uses. */
  tool?: string;
  /** Ids of the steps that have to be completed before this one. */
  dependsOn: string[];
  status: "pending" | "in_progress" | "completed" | "failed";
}

/** The decision for another model request. */
export interface StrategyNextStep<State> {
  type: "step";
  /** JSON that the next decision receives. `state` and `plan` together have at most 64 KiB. It is stored with the step, so it survives a crash. */
  state?: State;
  /** The purpose of the step, which `step_start` contains. The end of a step of the phase `reason` emits `reasoning`. */
  phase?: string;
  /** A user message at the end of the request. It is stored as a silent message, and later requests of the turn contain it too. */
  instruction?: string;
  /** Whether the answer is stored as a silent message, which user interfaces do not show. Default false. */
  silent?: boolean;
  /** Names of the tools that the answer may call, among those of the prompt. Default: all of them. An empty list forbids calls. */
  tools?: string[];
  /** Default: that of the prompt. */
  toolChoice?: "auto" | "none" | "required";
  /** The form of the answer: a name, and a JSON Schema of an object. Null requests free text. Default: that of the prompt. */
  structure?: { name: string; schema: object } | null;
  /** The plan, if it is new or has changed. Emitted as the event `plan` at the end of the last step. */
  plan?: StrategyPlanStep[];
}

/** The decision to end the turn. It is possible after the first step. */
export interface StrategyEnd {
  type: "end";
  /** JSON that becomes the outcome of the turn. */
  outcome?: unknown;
  /** The plan, if it has changed. */
  plan?: StrategyPlanStep[];
}

/** The decision of a strategy after a step. */
export type StrategyDecision<State> = StrategyNextStep<State> | StrategyEnd;

/** A strategy of a project. */
export interface StrategyDefinition<N extends string = string, State = unknown> {
  /** The name that agents and sides refer to. */
  name: N;
  /** A short description for user interfaces and documentation. */
  description?: string;
  /**
   * Decides what follows the last step. It must depend on its arguments alone, because the same decision may be requested again after a
   * crash. A decision that throws, or takes more than 30 seconds, ends the run with an error, and so do 50 steps in a row without a tool
   * call.
   */
  next: (turn: StrategyTurn<State>) => StrategyDecision<State> | Promise<StrategyDecision<State>>;
}

// oxlint-disable-next-line typescript/no-explicit-any -- the state is a parameter and a result, so no other type accepts every strategy
type AnyState = any;

/** A strategy with any name and state: the type of strategies in the registry. */
export type AnyStrategyDefinition = StrategyDefinition<string, AnyState>;

/** Declares a strategy and returns it unchanged. */
export function defineStrategy<N extends string, State = unknown>(
  strategy: StrategyDefinition<N, State>,
): StrategyDefinition<N, State> {
  return strategy;
}
