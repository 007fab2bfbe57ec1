// Agent definitions: which prompts take part in a conversation, and what ends a turn or the session.

import type { InputFilter } from "./input-filter.ts";
import type { LimitAmounts, Limits } from "./limits.ts";
import type { CallableName, PromptName } from "./register.ts";
import type { Strategy } from "./side-strategies.ts";

/** `ai_human`: a model talks with a person. `dual_ai`: two models talk with each other (Standard Agents, agents). */
export type AgentType = "ai_human" | "dual_ai";

/** Fields that both an agent and a side may have. A side's value takes precedence over its agent's. */
interface SharedSettings {
  /** Strategy of a turn. Default `loop`. Sub-prompts use `loop`. */
  strategy?: Strategy;
  /** Limits of a run. */
  limits?: Limits;
  /** Checks of texts from outside, after those of `agents/filters/`. */
  filters?: InputFilter[];
}

/** One side of the conversation (Standard Agents, agents). */
export interface SideConfig<
  Prompt extends string = PromptName,
  Callable extends string = CallableName,
> extends SharedSettings {
  /** Name of this side in user interfaces and logs. */
  label?: string;
  /** Name of a prompt in `agents/prompts/`. */
  prompt: Prompt;
  /** Whether an answer without tool calls ends the turn. Default true. */
  stopOnResponse?: boolean;
  /** A call of this tool ends the turn, with any value of `stopOnResponse`. */
  stopTool?: Callable;
  /** Property of the stop tool's result that becomes the turn's outcome. Required with `stopTool`. */
  stopToolResponseProperty?: string;
  /** Maximal number of steps of this side in a turn. */
  maxSteps?: number;
  /** A successful call of this tool ends the session for both sides. */
  endSessionTool?: Callable;
}

/** An agent (Standard Agents, agents). Additions to that document: `strategy`, `limits`, `filters`, `threadLimits`, `starters`. */
export interface AgentDefinition<
  N extends string = string,
  Prompt extends string = PromptName,
  Callable extends string = CallableName,
> extends SharedSettings {
  /** The name that threads and handoffs use. */
  name: N;
  /**
   * Name of the agent in user interfaces. Default: `name`.
   * @deprecated Write `name` alone.
   */
  title?: string;
  /** Default `ai_human`. */
  type?: AgentType;
  /** `dual_ai` only: maximal number of turns of both sides together. */
  maxSessionTurns?: number;
  /** Limits of a thread, over all its runs together. */
  threadLimits?: LimitAmounts;
  /** The side of the model; under `dual_ai` the side that begins. */
  sideA: SideConfig<Prompt, Callable>;
  /** The side of the second model; required under `dual_ai`. */
  sideB?: SideConfig<Prompt, Callable>;
  /**
   * Whether MCP clients can call the agent as a tool at `/mcp`, and `GET /api/tools` lists it. Default false. A prompt may list the agent in
   * `tools` without this.
   */
  exposeAsTool?: boolean;
  /** Description of the agent as a tool, which the calling model reads. Required with `exposeAsTool`. */
  toolDescription?: string;
  /** A short description for user interfaces and documentation. */
  description?: string;
  /** Suggestions for the first message, which user interfaces show for a new thread. */
  starters?: string[];
  /** A URL, or an absolute path, which is resolved to a URL. */
  icon?: string;
}

/** An agent with any names: the type of agents in the registry. */
export type AnyAgentDefinition = AgentDefinition;

/** Declares an agent and returns it unchanged (Standard Agents, `defineAgent`). */
export function defineAgent<N extends string>(options: AgentDefinition<N>): AgentDefinition<N> {
  return options;
}
