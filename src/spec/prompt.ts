// Prompt definitions: a system prompt with its model, its tools, and the parts of the history that it receives.

import type { z } from "zod";

import type { ContextOptions } from "./context-options.ts";
import type { PromptContent } from "./prompt-content.ts";
import type { CallableName, ModelName, PromptName, SkillName } from "./register.ts";
import type { AnyToolArgs, ToolArgs } from "./tool-arguments.ts";

/** A prompt that is offered as a tool, and which parts of its run its result contains (Standard Agents, prompts). */
export interface SubpromptConfig<T extends string = string> {
  /** Name of a prompt in `agents/prompts/`. */
  name: T;
  /** Whether the result contains the prompt's answer. Default true. */
  includeTextResponse?: boolean;
  /**
   * Whether the result contains the prompt's tool calls and their results, as lines that begin with `[tool]`. Default true, as the document
   * sets it. With false the calling model reads the answer alone.
   */
  includeToolCalls?: boolean;
  /** Whether the result contains the errors of the prompt's tools. Default true. A failure of the prompt itself is always its result. */
  includeErrors?: boolean;
  /** The argument that becomes the prompt's first user message. Default: all arguments as JSON. */
  initUserMessageProperty?: string;
  /** Maximal number of model steps in a call. An addition. Default 10. */
  maxSteps?: number;
}

/**
 * The former name of `SubpromptConfig` (Standard Agents, prompts).
 * @deprecated Write `SubpromptConfig`.
 */
export type ToolConfig<T extends string = string> = SubpromptConfig<T>;

/** Reasoning options (Standard Agents, prompts). */
export interface ReasoningConfig {
  /** Amount of reasoning. Default: the model's. */
  effort?: "low" | "medium" | "high";
  /** Maximal tokens of reasoning; takes precedence over `effort`. */
  maxTokens?: number;
  /** Whether the reasoning is hidden. */
  exclude?: boolean;
  /** Whether later runs receive the reasoning as part of the history. Default false. */
  include?: boolean;
}

/** How the tool calls of one step are executed. `batched` is the number of calls that run at the same time. */
export type ToolMode = "sequential" | "parallel" | { batched: number };

/** A prompt (Standard Agents, prompts). The fields after `recentImageThreshold` are additions, all optional. */
export interface PromptDefinition<
  N extends string = string,
  S extends AnyToolArgs = ToolArgs,
  D extends AnyToolArgs = AnyToolArgs,
> {
  /** The name that agents, includes and tool lists use. */
  name: N;
  /** Description of the prompt as a tool, which the calling model reads. */
  toolDescription: string;
  /** The system prompt. */
  prompt: PromptContent;
  /** Name of the model that answers. */
  model: ModelName;
  /** Whether to send the messages of earlier runs. Those of the current run are always sent. Default false. */
  includeChat?: boolean;
  /** Whether to send the tool calls and results of earlier runs. Default false. */
  includePastTools?: boolean;
  /** Whether the model may call several tools in one step. Default false. */
  parallelToolCalls?: boolean;
  /** Whether the model may (`auto`), must not (`none`) or must (`required`) call a tool. Default `auto`. */
  toolChoice?: "auto" | "none" | "required";
  /** Arguments if the prompt is called as a tool. */
  requiredSchema?: S;
  /** What the model may call: tools, prompts and agents. An `ai_human` agent in the list permits a handoff to it. */
  tools?: (CallableName | SubpromptConfig<PromptName>)[];
  /**
   * The skills that the system prompt lists, and that the tool `read_skill` returns: those of `agents/skills/` with these names; or with
   * `true` all of them, and those of the thread's folder `/skills`. An addition to Standard Agents.
   */
  skills?: true | SkillName[];
  reasoning?: ReasoningConfig;
  /** Number of latest messages whose images are sent as images. Default 10. */
  recentImageThreshold?: number;

  /** How the tool calls of one step are executed. Default: `parallel` with `parallelToolCalls`, else `sequential`. */
  toolMode?: ToolMode;
  /**
   * Whether the model may order the calls of a step. Each tool gets an optional parameter `_after`, a list of tool names or positions of
   * calls, which the tool itself does not see. Default false.
   */
  modelOrder?: boolean;
  /** Limits of a model request, and how a conversation that exceeds them is compacted. */
  context?: ContextOptions;
  /** Sampling temperature. Takes precedence over the model's. */
  temperature?: number;
  /** Maximal length of the answer in tokens. Takes precedence over the model's. */
  maxTokens?: number;
  /**
   * The answer is JSON that matches this schema, and `run.data` is the parsed value. The model may call tools before it answers. Not for a
   * side of an agent with two sides.
   */
  structure?: D;
}

/** A prompt with any names: the type of prompts in the registry. */
export type AnyPromptDefinition = PromptDefinition<string, AnyToolArgs>;

/**
 * The output type of a prompt's `requiredSchema`; `never` for a prompt without one (Standard Agents, prompts). The published type
 * ignores that the field is optional, so it is `never` for every prompt. This type is correct with and without the field.
 */
export type PromptInput<T extends PromptDefinition<string, AnyToolArgs>> =
  NonNullable<T["requiredSchema"]> extends infer Schema extends AnyToolArgs ? z.infer<Schema> : never;

/** The type of `run.data` for a prompt with `structure`; `never` for a prompt without one. */
export type PromptData<T extends { structure?: AnyToolArgs }> =
  NonNullable<T["structure"]> extends infer Schema extends AnyToolArgs ? z.infer<Schema> : never;

/** Declares a prompt and returns it unchanged (Standard Agents, `definePrompt`). */
export function definePrompt<N extends string, S extends AnyToolArgs = never, D extends AnyToolArgs = never>(
  options: PromptDefinition<N, S, D>,
): PromptDefinition<N, S, D> {
  return options;
}
