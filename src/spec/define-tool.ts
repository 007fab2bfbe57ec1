// The overloads of defineTool, and readTool, with which the runtime reads a definition. Whether a tool's function receives
// arguments depends on the schema alone, not on the function's number of parameters: `(state, args, call)` with a schema,
// `(state, call)` without one.

import type { z } from "zod";

import type { ThreadState } from "./thread-state.ts";
import type { AnyToolArgs } from "./tool-arguments.ts";
import type { ToolCall } from "./tool-call.ts";
import type { RemoteToolOptions, ToolOptions } from "./tool-options.ts";
import type { ToolResult } from "./tool-result-parts.ts";
import type { ToolStream } from "./tool-stream.ts";
import type { AnyToolDefinition, ParsedArgs, RemoteToolDefinition, ToolDefinition } from "./tool.ts";

/** Return value of a tool's function: the promise of a result, or a stream that ends with the result. */
type ToolReturn = Promise<ToolResult> | ToolStream;

/** The function of a tool with arguments. */
type FunctionWithArgs<State, Args extends AnyToolArgs> = (
  state: State,
  args: z.infer<Args>,
  call: ToolCall,
) => ToolReturn;

/** The function of a tool without arguments. */
type FunctionWithoutArgs<State> = (state: State, call: ToolCall) => ToolReturn;

// `NoInfer` in the return types: the state's type is inferred from the function, never from the variable that the result is
// assigned to.

/**
 * Declares a tool with arguments (Standard Agents, `defineTool`). A generator function streams its output. The tuple's type
 * still has the published `Promise<ToolResult>`, so use `readTool` to call the function of a definition.
 */
export function defineTool<State = ThreadState, Args extends AnyToolArgs = AnyToolArgs>(
  description: string,
  args: Args,
  tool: FunctionWithArgs<State, Args>,
  options?: ToolOptions<State, z.infer<Args>>,
): ToolDefinition<NoInfer<State>, Args>;

/** Declares a tool without arguments (Standard Agents, `defineTool`). */
export function defineTool<State = ThreadState>(
  description: string,
  tool: FunctionWithoutArgs<State>,
): ToolDefinition<NoInfer<State>, null>;

/** Declares a remote tool: it has no function; results are posted to the thread. */
export function defineTool<State = ThreadState, Args extends AnyToolArgs | null = null>(
  description: string,
  args?: Args,
  tool?: undefined,
  options?: RemoteToolOptions<State, ParsedArgs<Args>>,
): RemoteToolDefinition<NoInfer<State>, Args>;

/** Declares a tool with options and without arguments. */
export function defineTool<State = ThreadState>(
  description: string,
  args: null,
  tool: FunctionWithoutArgs<State>,
  options?: ToolOptions<State, ParsedArgs<null>>,
): ToolDefinition<NoInfer<State>, null>;

export function defineTool(description: string, argsOrTool?: unknown, tool?: unknown, options?: unknown): unknown {
  const definition =
    typeof argsOrTool === "function" ? [description, null, argsOrTool] : [description, argsOrTool ?? null, tool];
  return options === undefined ? definition : Object.assign(definition, { options });
}

/** The parts of a tool definition. `run` is absent for a remote tool. */
export interface ToolParts {
  description: string;
  schema: AnyToolArgs | null;
  /** Calls the tool's function. `args` must be the output of `schema`; it is ignored if `schema` is null. */
  run?: (state: ThreadState, args: unknown, call: ToolCall) => Promise<ToolResult> | ToolStream;
  options: RemoteToolOptions<ThreadState, unknown>;
}

/** Reads the parts of a tool definition, made by `defineTool` or written as a tuple. */
export function readTool(definition: AnyToolDefinition): ToolParts {
  const [description, schema, tool] = definition;
  // The registry's type omits each tool's own state and argument types. Only this function restores them.
  const options = (definition.options ?? {}) as RemoteToolOptions<ThreadState, unknown>;
  if (tool === undefined) return { description, schema, options };
  const call = tool as (...values: unknown[]) => Promise<ToolResult> | ToolStream;
  return {
    description,
    schema,
    options,
    run:
      schema === null
        ? (state, _args, context) => call(state, context)
        : (state, args, context) => call(state, args, context),
  };
}
