// The options of a loop (architecture §4, §6), and their checks: a wrong option is refused by name, value and remedy before anything is sent.

import { toolHostOf, withoutHost } from "#core/ports/tool-host.ts";
import { fieldsOf, isObject } from "#lib/json-value.ts";
import type { ThreadState } from "#spec/index.ts";

import type { CompactionStrategy } from "./context/compaction-strategy.ts";
import { completeContextConfig } from "./context/context-config.ts";
import type { ContextConfig } from "./context/context-config.ts";
import { ExecutionTracker } from "./context/execution-tracker.ts";
import type { ExecutionLimits } from "./context/execution-tracker.ts";
import { LoopError } from "./loop-error.ts";
import type { TurnTrigger } from "./loop-event.ts";
import type { AgentMessage, Message, Usage } from "./loop-messages.ts";
import type { AgentTool } from "./loop-tool.ts";
import { checkModelConfig, checkThinkingLevel } from "./provider/model-config-check.ts";
import type { ModelConfig } from "./provider/model-config.ts";
import { checkProvider } from "./provider/provider-id.ts";
import { retryConfigOf } from "./provider/retry-config.ts";
import type { CacheConfig, RetryConfig, StreamProvider, ThinkingLevel } from "./provider/stream-provider.ts";

/** The decision of a filter about the text of a user (REQ-022). */
export type FilterResult = "Pass" | { Warn: string } | { Reject: string };

/** Decides about the text of users' messages before a model reads it. */
export interface InputFilter {
  filter(text: string): FilterResult | Promise<FilterResult>;
}

/** How the calls of one answer run (architecture §4). */
export type ToolExecutionStrategy = "Sequential" | "Parallel" | { Batched: { size: number } };

/**
 * The hooks of a loop, in their order: architecture §6, "Event Hook Ordering". A hook that throws ends the loop as failed. A cancelled loop
 * calls the hooks that follow, and does not wait for their promises.
 */
export interface LoopCallbacks {
  /** Before `AgentStart`. False: the loop ends, and only `AgentEnd` is emitted. `loopIndex` counts the loops of the session from 0. */
  beforeLoop?: (messages: readonly AgentMessage[], loopIndex: number) => boolean | Promise<boolean>;
  /** After `AgentEnd`, with the new messages and the tokens of the loop. */
  afterLoop?: (messages: readonly AgentMessage[], usage: Usage) => void | Promise<void>;
  /** Before `TurnStart`. False ends the loop without the turn. `turnIndex` counts from 0. */
  beforeTurn?: (messages: readonly AgentMessage[], turnIndex: number) => boolean | Promise<boolean>;
  /** After `TurnEnd`, once for each turn, also for one that failed. */
  afterTurn?: (messages: readonly AgentMessage[], usage: Usage) => void | Promise<void>;
  /** When an answer has the stop reason `error`, or when a hook has thrown. */
  onError?: (message: string) => void | Promise<void>;
  /** Before `ToolExecutionStart`. False skips the call: the model reads that it was skipped. */
  beforeToolExecution?: (toolName: string, toolCallId: string, args: unknown) => boolean | Promise<boolean>;
  /** After `ToolExecutionEnd`. */
  afterToolExecution?: (toolName: string, toolCallId: string, isError: boolean) => void | Promise<void>;
  /** Before `ToolExecutionUpdate`, synchronous. False hides the update. */
  beforeToolExecutionUpdate?: (toolName: string, toolCallId: string, text: string) => boolean;
  /** After `ToolExecutionUpdate`, synchronous. */
  afterToolExecutionUpdate?: (toolName: string, toolCallId: string, text: string) => void;
}

/** The options of a loop (REQ-029). Only `modelConfig` is required. */
export interface AgentLoopConfig extends LoopCallbacks {
  /** The model, and how its provider is reached. */
  modelConfig: ModelConfig;
  /** A provider in place of the one that `modelConfig.api` names. */
  providerOverride?: StreamProvider;
  /** Default: `off`. */
  thinkingLevel?: ThinkingLevel;
  /** The maximum number of tokens of an answer. Default: the model's. */
  maxTokens?: number;
  temperature?: number;
  /** Messages that a user sent while the loop works. Called at the points where the loop can take them. Synchronous. */
  getSteeringMessages?: () => AgentMessage[];
  /** Messages that the loop takes when it would end. Synchronous. */
  getFollowUpMessages?: () => AgentMessage[];
  /** The budget of what is sent. Absent: nothing is compacted. */
  contextConfig?: ContextConfig;
  /** Compacts in place of the levels of the document. Requires `contextConfig`. */
  compactionStrategy?: CompactionStrategy;
  /** Absent: no limit. */
  executionLimits?: ExecutionLimits;
  /** Whether a request or a call that works when `max_duration` is over is cancelled. Default: the limit is checked between turns. */
  abortAtLimit?: boolean;
  cacheConfig?: CacheConfig;
  /** Default: `Parallel`. */
  toolExecution?: ToolExecutionStrategy;
  retryConfig?: RetryConfig;
  inputFilters?: readonly InputFilter[];
  /** Changes the list of messages before each request. The context keeps its own list. */
  transformContext?: (messages: AgentMessage[]) => AgentMessage[] | Promise<AgentMessage[]>;
  /** Chooses and converts the messages that the model reads. Default: all except those of the application. */
  convertToLlm?: (messages: AgentMessage[]) => Message[] | Promise<Message[]>;
  /** The middle segment of loop ids. Default: provider, model and thinking level. */
  configId?: string;
  /** What caused the first turn of an origin loop. Default: `User`. */
  firstTurnTrigger?: TurnTrigger;
  /**
   * The `state` of a thread's tool, for a loop in the call of the tool. The requests then use the fetch and the keys of the thread's Worker,
   * their tokens and cost count to the thread's run, the thread sends the events, and a stop of the run cancels the loop. Without this
   * option, tokens and cost are not counted.
   */
  in?: ThreadState;
}

/** Each option and its type. `object` has its own check where it is used. */
const optionTypes: Record<
  keyof AgentLoopConfig,
  "function" | "object" | "number" | "string" | "boolean" | "list" | "any"
> = {
  modelConfig: "object",
  providerOverride: "object",
  thinkingLevel: "string",
  maxTokens: "number",
  temperature: "number",
  getSteeringMessages: "function",
  getFollowUpMessages: "function",
  contextConfig: "object",
  compactionStrategy: "object",
  executionLimits: "object",
  abortAtLimit: "boolean",
  cacheConfig: "object",
  toolExecution: "any",
  retryConfig: "object",
  inputFilters: "list",
  transformContext: "function",
  convertToLlm: "function",
  configId: "string",
  firstTurnTrigger: "string",
  in: "object",
  beforeLoop: "function",
  afterLoop: "function",
  beforeTurn: "function",
  afterTurn: "function",
  onError: "function",
  beforeToolExecution: "function",
  afterToolExecution: "function",
  beforeToolExecutionUpdate: "function",
  afterToolExecutionUpdate: "function",
};

const synchronous = [
  "getSteeringMessages",
  "getFollowUpMessages",
  "beforeToolExecutionUpdate",
  "afterToolExecutionUpdate",
] as const;

const triggers: readonly TurnTrigger[] = ["User", "SubAgent", "Continuation", "Branch"];

/** Checks the options of a loop. Throws a LoopError for the first wrong one. */
export function checkConfig(config: AgentLoopConfig): void {
  if (!isObject(config)) throw new LoopError("The options of a loop have to be an object with `modelConfig`.");
  for (const [name, value] of Object.entries(config)) checkOption(name, value);
  if (config.modelConfig === undefined) throw new LoopError("The option `modelConfig` is missing. It names the model.");
  checkModelConfig(config.modelConfig);
  const { maxTokens, temperature, compactionStrategy, contextConfig, inputFilters = [] } = config;
  const { executionLimits, firstTurnTrigger: trigger = "User", providerOverride, thinkingLevel } = config;
  if (maxTokens !== undefined && !(Number.isSafeInteger(maxTokens) && maxTokens > 0))
    throw wrong("maxTokens", maxTokens, "a whole number above 0");
  if (temperature !== undefined && !(Number.isFinite(temperature) && temperature >= 0))
    throw wrong("temperature", temperature, "a number of at least 0");
  if (compactionStrategy !== undefined && contextConfig === undefined)
    throw new LoopError(
      "The option `compactionStrategy` needs `contextConfig`: without a budget nothing is compacted.",
    );
  if (compactionStrategy !== undefined && typeof compactionStrategy.compact !== "function")
    throw wrong("compactionStrategy", compactionStrategy, "an object with the function `compact`");
  for (const [at, filter] of inputFilters.entries())
    if (typeof (filter as InputFilter | undefined)?.filter !== "function")
      throw wrong(`inputFilters[${at}]`, filter, "an object with the function `filter`");
  checkToolExecution(config.toolExecution);
  if (providerOverride !== undefined) checkProvider(providerOverride, "providerOverride");
  if (thinkingLevel !== undefined) checkThinkingLevel(thinkingLevel);
  retryConfigOf(config.retryConfig);
  if (config.configId === "") throw wrong("configId", '""', "a text that is not empty");
  if (contextConfig !== undefined) completeContextConfig(contextConfig);
  // Its constructor checks the limits.
  if (executionLimits !== undefined) new ExecutionTracker(executionLimits);
  if (!triggers.includes(trigger)) throw wrong("firstTurnTrigger", trigger, `one of ${triggers.join(", ")}`);
  if (config.in !== undefined && toolHostOf(config.in) === undefined) throw new LoopError(withoutHost);
  for (const name of synchronous) {
    // The asynchronous functions of an engine have a constructor of their own.
    if (config[name]?.constructor.name === "AsyncFunction")
      throw new LoopError(`The option \`${name}\` has to be synchronous: the loop cannot wait for it.`);
  }
}

function checkOption(name: string, value: unknown): void {
  const type = Object.hasOwn(optionTypes, name) ? optionTypes[name as keyof AgentLoopConfig] : undefined;
  if (type === undefined) {
    throw new LoopError(`There is no option \`${name}\`. The options are ${Object.keys(optionTypes).join(", ")}.`);
  }
  if (value === undefined || type === "any") return;
  if (
    type === "list"
      ? Array.isArray(value)
      : type === "object"
        ? typeof value === "object" && value !== null
        : typeof value === type
  )
    return;
  throw wrong(name, value, type === "list" ? "a list" : `${type === "object" ? "an" : "a"} ${type}`);
}

function checkToolExecution(value: unknown): void {
  if (value === undefined || value === "Sequential" || value === "Parallel") return;
  const { Batched: batched, ...others } = fieldsOf(value);
  const { size, ...rest } = fieldsOf(batched);
  if (size === undefined || Object.keys({ ...others, ...rest }).length > 0)
    throw wrong("toolExecution", value, '"Sequential", "Parallel" or { Batched: { size } }');
  if (!Number.isSafeInteger(size) || (size as number) < 1)
    throw wrong("toolExecution.Batched.size", size, "a whole number of at least 1");
}

/** Checks the tools of a context: each has a name of its own and a schema. */
export function checkTools(tools: readonly AgentTool[]): void {
  if (!Array.isArray(tools)) throw wrong("tools", tools, "a list of tools");
  const names = new Set<string>();
  for (const [at, tool] of (tools as readonly (Partial<AgentTool> | undefined)[]).entries()) {
    for (const member of ["name", "label", "description", "parametersSchema", "execute"] as const) {
      if (typeof tool?.[member] !== "function")
        throw new LoopError(`tools[${at}] has no function \`${member}\`. createTool makes a tool of a function.`);
    }
    const given = tool as AgentTool;
    const called: unknown = given.name();
    if (typeof called !== "string" || called === "") throw new LoopError(`tools[${at}].name() has to return a name.`);
    if (names.has(called)) throw new LoopError(`Two tools have the name "${called}". Rename one of them.`);
    names.add(called);
    const schema: unknown = given.parametersSchema();
    if (!isObject(schema))
      throw new LoopError(
        `The tool "${called}" has no schema. parametersSchema() has to return the JSON Schema of an object.`,
      );
  }
}

const kinds: Record<string, string> = { object: "an object", function: "a function", string: "a text" };

/**
 * The error of a value that is not what an option takes. Only the kind of a value is shown if it may contain a key: an object, a function's
 * source, a text in place of an object.
 */
function wrong(name: string, value: unknown, expected: string): LoopError {
  let shown = String(kinds[typeof value] ?? value);
  if (value === null || (typeof value === "string" && expected !== "an object")) shown = String(value);
  else if (Array.isArray(value)) shown = "a list";
  return new LoopError(`The option \`${name}\` is ${shown}. It has to be ${expected}.`);
}
