// defineTool in its forms, and readTool, the runtime's way to take a definition apart. A definition says by its
// schema, never by its function's arity, how it is called: with one `(state, args, call)`, without `(state, call)`.

import type { z } from "zod";

import type { ThreadState } from "./thread-state.ts";
import type { AnyToolArgs } from "./tool-arguments.ts";
import type { ToolCall } from "./tool-call.ts";
import type { RemoteToolOptions, ToolOptions } from "./tool-options.ts";
import type { ToolResult } from "./tool-result.ts";
import type { ToolStream } from "./tool-stream.ts";
import type { AnyToolDefinition, ParsedArgs, RemoteToolDefinition, ToolDefinition } from "./tool.ts";

/** What a tool's function gives: the promise of a result, or a stream that ends in one. */
type ToolWork = Promise<ToolResult> | ToolStream;

/** A function with arguments: `call` is always there, and the work may stream. */
type ArgsFunction<State, Args extends AnyToolArgs> = (state: State, args: z.infer<Args>, call: ToolCall) => ToolWork;

/** A function without arguments. */
type BareFunction<State> = (state: State, call: ToolCall) => ToolWork;

// The state's type comes from the function, or is ThreadState; never from where the result is put (`NoInfer`).

/**
 * Declares a tool with arguments (Standard Agents, `defineTool`). A generator function streams its work; the tuple's
 * type still says `Promise<ToolResult>`, because that is the published one, and only `readTool` should be used to
 * call what is in it.
 */
export function defineTool<State = ThreadState, Args extends AnyToolArgs = AnyToolArgs>(
  description: string,
  args: Args,
  tool: ArgsFunction<State, Args>,
  options?: ToolOptions<State, z.infer<Args>>,
): ToolDefinition<NoInfer<State>, Args>;

/** Declares a tool without arguments (Standard Agents, `defineTool`). */
export function defineTool<State = ThreadState>(
  description: string,
  tool: BareFunction<State>,
): ToolDefinition<NoInfer<State>, null>;

/** Declares a remote tool: no function, its results are posted to the thread. */
export function defineTool<State = ThreadState, Args extends AnyToolArgs | null = null>(
  description: string,
  args?: Args,
  tool?: undefined,
  options?: RemoteToolOptions<State, ParsedArgs<Args>>,
): RemoteToolDefinition<NoInfer<State>, Args>;

/** Declares a tool without arguments but with options. */
export function defineTool<State = ThreadState>(
  description: string,
  args: null,
  tool: BareFunction<State>,
  options?: ToolOptions<State, ParsedArgs<null>>,
): ToolDefinition<NoInfer<State>, null>;

export function defineTool(description: string, argsOrTool?: unknown, tool?: unknown, options?: unknown): unknown {
  const definition =
    typeof argsOrTool === "function" ? [description, null, argsOrTool] : [description, argsOrTool ?? null, tool];
  return options === undefined ? definition : Object.assign(definition, { options });
}

/** A definition taken apart. `run` is absent in a remote tool. */
export interface ToolParts {
  description: string;
  schema: AnyToolArgs | null;
  /** Calls the function as its schema says; `args` must have been parsed with `schema`. */
  run?: (state: ThreadState, args: unknown, call: ToolCall) => Promise<ToolResult> | ToolStream;
  options: RemoteToolOptions<ThreadState, unknown>;
}

/** Takes a tool definition apart, whoever made it: `defineTool` or a tuple written by hand. */
export function readTool(definition: AnyToolDefinition): ToolParts {
  const [description, schema, tool] = definition;
  // The registry's type forgets each tool's own state and arguments; here, and only here, they are given back.
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
