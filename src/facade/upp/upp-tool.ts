// The types of UPP's tools: a tool, its calls and results, and the functions that observe or control the calls (`ToolUseStrategy`).

import type { ToolContext } from "./tool-context.ts";

/**
 * A JSON Schema of an object, such as the parameters of a tool or the form of a structured answer. `type` has to be "object". TypeScript
 * accepts any `string`, so that a constant without `as const` is a schema; any other text is refused before the first request.
 */
export interface JSONSchema {
  readonly type: string;
  readonly [keyword: string]: unknown;
}

/** The arguments of a call. */
export type ToolParams = Record<string, unknown>;

/** A tool: a function that a model can call, with the schema of its arguments. */
export interface Tool {
  readonly name: string;
  /** The description for the model. */
  readonly description: string;
  readonly parameters: JSONSchema;
  /**
   * Runs a call. A text is sent to the model unchanged. A list of text, image and document blocks, or an object with such a list as its only
   * property `content`, is sent as text, images and files, and any other result as JSON. An exception becomes an error result that the model
   * reads.
   */
  run(params: ToolParams, context: ToolContext): unknown;
  /** Whether a call may run. If it returns false, the model reads that the call was denied. An exception ends the turn. */
  approval?(params: ToolParams): boolean | Promise<boolean>;
  readonly metadata?: Record<string, unknown>;
  /**
   * If true, a call of the tool never runs at the same time as another call of its answer. Calls of tools that are not sequential run after
   * it, unless `dependsOn` requires the opposite order.
   */
  readonly sequential?: boolean;
  /** Names of tools whose calls in the same answer run first. */
  readonly dependsOn?: readonly string[];
}

/** Runs a tool for a call. */
export type RunTool = (tool: Tool, params: ToolParams, context: ToolContext) => unknown;

/** A call that a model makes. */
export interface ToolCall {
  toolCallId: string;
  toolName: string;
  /** The arguments as the model sent them. */
  arguments: ToolParams;
  /**
   * The ids of the calls of the same answer that the model requested to run before this one. Present only with `modelOrder`; the
   * arguments then contain the request as the parameter `_after`, which the tool does not receive.
   */
  after?: readonly string[];
}

/** The result of a call. */
export interface ToolResult {
  toolCallId: string;
  result: unknown;
  isError?: boolean;
}

/** A call that ended. */
export interface ToolExecution {
  toolName: string;
  toolCallId: string;
  /** The arguments with which the tool ran. */
  arguments: ToolParams;
  /** The value that the tool returned. The message contains this value as JSON. */
  result: unknown;
  isError: boolean;
  /** Milliseconds. */
  duration: number;
  /** The result of the tool's `approval`, if it was called. */
  approved?: boolean;
}

/** Whether a call runs. `params` replaces the arguments of the call. */
export type BeforeCallDecision = boolean | { proceed: boolean; params?: ToolParams };

/** Functions that observe or control the calls of tools. An exception of one of them ends the turn. */
export interface ToolUseStrategy {
  /**
   * The maximum number of rounds of calls, from 0 to `Infinity`. A round is all calls of one answer. With 0, the turn is returned with its
   * calls unexecuted. Otherwise, an answer with calls after the last round ends the turn with INVALID_REQUEST. Default 10.
   */
  maxIterations?: number;
  /** Called before each call. */
  onToolCall?(tool: Tool, params: ToolParams): unknown;
  /** Called after `onToolCall`. If it returns false or `proceed: false`, the call does not run, and the model reads an error result. */
  onBeforeCall?(tool: Tool, params: ToolParams): BeforeCallDecision | Promise<BeforeCallDecision>;
  /** Called after a call succeeded. If it returns an object with `result`, this replaces the result; any other value is ignored. */
  onAfterCall?(tool: Tool, params: ToolParams, result: unknown): unknown;
  /** Called after a call failed. */
  onError?(tool: Tool, params: ToolParams, error: Error): unknown;
  /** Called before the turn ends because it reached `maxIterations`. */
  onMaxIterations?(iterations: number): unknown;
}
