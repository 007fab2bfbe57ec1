// Agents: who speaks with whom, with which prompts, and when a turn or the session ends.

import type { InputFilter } from "./input-filter.ts";
import type { LimitAmounts, Limits } from "./limits.ts";
import type { CallableName, PromptName } from "./register.ts";
import type { Strategy } from "./strategy.ts";

/** A model with a person, or two models with each other (Standard Agents, agents). */
export type AgentType = "ai_human" | "dual_ai";

/** What side and agent may both say; the side's word wins. */
interface Conduct {
  /** The loop's strategy. Default `loop`. `react` and `plan` are not available yet: a build refuses them. */
  strategy?: Strategy;
  /** Ceilings of a run. */
  limits?: Limits;
  /** Checks on a user's text. Not available yet: a build refuses them. */
  filters?: InputFilter[];
}

/** One side of the conversation (Standard Agents, agents). */
export interface SideConfig<
  Prompt extends string = PromptName,
  Callable extends string = CallableName,
> extends Conduct {
  /** What UIs and logs call this side. */
  label?: string;
  /** A prompt of `agents/prompts/`. */
  prompt: Prompt;
  /** Text without tool calls ends the turn. Default true. */
  stopOnResponse?: boolean;
  /** Calling this ends the turn, whatever `stopOnResponse` says. */
  stopTool?: Callable;
  /** The property of the stop tool's result that is the outcome. Required with `stopTool`. */
  stopToolResponseProperty?: string;
  /** Steps this side may take in a turn. */
  maxSteps?: number;
  /** Calling this with success ends the session for both sides. */
  endSessionTool?: Callable;
}

/** An agent (Standard Agents, agents). `strategy`, `limits`, `filters`, `threadLimits` and `starters` are ours. */
export interface AgentDefinition<
  N extends string = string,
  Prompt extends string = PromptName,
  Callable extends string = CallableName,
> extends Conduct {
  /** The name threads and handoffs refer to. */
  name: N;
  /**
   * What UIs call the agent; the name when absent.
   * @deprecated Write `name` alone.
   */
  title?: string;
  /** Default `ai_human`. */
  type?: AgentType;
  /** `dual_ai` only: turns of both sides together. */
  maxSessionTurns?: number;
  /** Ceilings of a thread: all its runs together. */
  threadLimits?: LimitAmounts;
  /** The model's side; under `dual_ai` the first one. */
  sideA: SideConfig<Prompt, Callable>;
  /** The second model's side; required under `dual_ai`. */
  sideB?: SideConfig<Prompt, Callable>;
  /**
   * Show the agent among the tools of `GET /api/tools`. Default false; listing it in a prompt's `tools` needs no more. There is
   * no way for MCP clients to call it yet.
   */
  exposeAsTool?: boolean;
  /** What a model reads when the agent is offered as a tool. Required with `exposeAsTool`. */
  toolDescription?: string;
  /** A line for UIs and documentation. */
  description?: string;
  /** First messages that user interfaces offer for a new thread. An addition to the Standard Agents document. */
  starters?: string[];
  /** A URL, or a path from the root that is turned into one. */
  icon?: string;
}

/** Any agent: what the registry holds. */
export type AnyAgentDefinition = AgentDefinition;

/** Declares an agent; returns what it is given (Standard Agents, `defineAgent`). */
export function defineAgent<N extends string>(options: AgentDefinition<N>): AgentDefinition<N> {
  return options;
}
