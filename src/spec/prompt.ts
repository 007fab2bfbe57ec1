// Prompts: a system prompt with its model, its tools and what of the history it sees.

import type { z } from "zod";

import type { ContextOptions } from "./context-options.ts";
import type { PromptContent } from "./prompt-content.ts";
import type { CallableName, ModelName, PromptName } from "./register.ts";
import type { AnyToolArgs, ToolArgs } from "./tool-arguments.ts";

/** A prompt offered as a tool, with what its result shows (Standard Agents, prompts). */
export interface SubpromptConfig<T extends string = string> {
  /** A prompt of `agents/prompts/`. */
  name: T;
  /** Put its text into the result. Default true. */
  includeTextResponse?: boolean;
  /** Put its tool calls and their results into the result. Default true. */
  includeToolCalls?: boolean;
  /** Put its errors into the result. Default true. */
  includeErrors?: boolean;
  /** The argument whose value becomes its first user message; all arguments as JSON when absent. */
  initUserMessageProperty?: string;
  /** Most model steps of a call; ours. Default 10. */
  maxSteps?: number;
}

/**
 * The former name of `SubpromptConfig` (Standard Agents, prompts).
 * @deprecated Write `SubpromptConfig`.
 */
export type ToolConfig<T extends string = string> = SubpromptConfig<T>;

/** How a reasoning model thinks (Standard Agents, prompts). */
export interface ReasoningConfig {
  /** How much; the model's own default when absent. */
  effort?: "low" | "medium" | "high";
  /** Tokens it may think with; wins over `effort`. */
  maxTokens?: number;
  /** Think, but show none of it. */
  exclude?: boolean;
  /** Keep the thinking in the history of later runs. Default false. */
  include?: boolean;
}

/** How the tool calls of one step are run. */
export type ToolMode = "sequential" | "parallel" | { batched: number };

/**
 * A prompt (Standard Agents, prompts). The fields after `recentImageThreshold` are ours and all optional.
 */
export interface PromptDefinition<N extends string = string, S extends AnyToolArgs = ToolArgs> {
  /** The name agents, includes and tool lists refer to. */
  name: N;
  /** What a model reads when this prompt is offered as a tool. */
  toolDescription: string;
  /** The system prompt. */
  prompt: PromptContent;
  /** The model that answers. */
  model: ModelName;
  /** Send earlier runs too; the present run is always sent. Default false. */
  includeChat?: boolean;
  /** Send the tool traffic of earlier runs too. Default false. */
  includePastTools?: boolean;
  /** Let the model ask for several tools at once. Default false. */
  parallelToolCalls?: boolean;
  /** Whether the model may, must not or must call a tool. Default `auto`. */
  toolChoice?: "auto" | "none" | "required";
  /** Arguments when this prompt is called as a tool. */
  requiredSchema?: S;
  /** What the model may call: tools, prompts, agents; naming an `ai_human` agent allows a handoff to it. */
  tools?: (CallableName | SubpromptConfig<PromptName>)[];
  reasoning?: ReasoningConfig;
  /** How many of the latest messages keep their images as images. Default 10. */
  recentImageThreshold?: number;

  /** How the calls of one step are run. Default `parallel` with `parallelToolCalls`, else `sequential`. */
  toolMode?: ToolMode;
  /** Let the model order calls itself with `_after`. Default false. True is not available yet: a build refuses it. */
  modelOrder?: boolean;
  /** The budget for what is sent. Not available yet: a build refuses it. */
  context?: ContextOptions;
  /** Sampling temperature; wins over the model's. */
  temperature?: number;
  /** Longest answer in tokens; wins over the model's. */
  maxTokens?: number;
}

/** Any prompt: what the registry holds. */
export type AnyPromptDefinition = PromptDefinition<string, AnyToolArgs>;

/**
 * What a prompt's `requiredSchema` parses to; never where it has none (Standard Agents, prompts). The published type forgets
 * that the field is optional and so is `never` for every prompt; this one says what it was meant to say.
 */
export type PromptInput<T extends PromptDefinition<string, AnyToolArgs>> =
  NonNullable<T["requiredSchema"]> extends infer Schema extends AnyToolArgs ? z.infer<Schema> : never;

/** Declares a prompt; returns what it is given (Standard Agents, `definePrompt`). */
export function definePrompt<N extends string, S extends AnyToolArgs = never>(
  options: PromptDefinition<N, S>,
): PromptDefinition<N, S> {
  return options;
}
