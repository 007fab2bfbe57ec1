// defineTool, and readTool, with which the runtime reads a definition. Whether a tool's function receives arguments depends on the schema
// alone, not on the function's number of parameters: `(state, args, call)` with a schema, `(state, call)` without one.
//
// The two signatures differ in their number of arguments, so that TypeScript finds one signature for each call and reports one error, at the
// value that is wrong.

import type { z } from "zod";

import type { ThreadState } from "./thread-state.ts";
import type { AnyToolArgs } from "./tool-arguments.ts";
import type { ToolCall } from "./tool-call.ts";
import type { RemoteToolOptions, ToolOptions } from "./tool-options.ts";
import type { AnyParts, AnyReturn, CheckedReturn } from "./tool-return.ts";
import type { AnyToolDefinition, RemoteToolDefinition, ToolDefinition } from "./tool.ts";

/** The call of a tool without a schema: such a tool has the parameters `state` and `call`. Pass a `z.object` for arguments. */
export interface CallOfToolWithoutSchema extends ToolCall {}

/** A tool without a schema has two parameters: `state` and `call`. Pass a `z.object` for arguments. */
export interface NoThirdParameterWithoutSchema {
  readonly " ": never;
}

/** The type error of a schema that is no `z.object`, or has fields that function calling lacks. */
export type ToolArgumentsAre =
  "The arguments are a z.object of strings, numbers, booleans, enums, literals, arrays, records, unions and objects";

/** The type error of options directly after the function. */
export type ToolWithOptionsIs = "With options it is defineTool(description, schema or null, tool, options)";

type MisplacedTool<State, Args> = [Args] extends [null] ? (state: State, call: ToolCall) => ToolWithOptionsIs : never;

type CheckedArgs<Args> = [Args] extends [AnyToolArgs | null] ? unknown : ToolArgumentsAre;

/** The parameters of a tool's function after `state`; `any` if the schema is wrong, so that its error is the only one. */
type Parameters<Args> = Args extends z.ZodType
  ? [args: z.infer<Args>, call: ToolCall]
  : [Args] extends [null]
    ? [call: CallOfToolWithoutSchema, none: NoThirdParameterWithoutSchema]
    : // oxlint-disable-next-line typescript/no-explicit-any -- each use of an argument would be an error of its own
      [args: any, call: ToolCall];

type Parsed<Args> = Args extends z.ZodType ? z.infer<Args> : Record<string, never>;

type Options<State, Args, Returned> = [Returned] extends [never]
  ? RemoteToolOptions<State, Parsed<Args>>
  : ToolOptions<State, Parsed<Args>>;

// `Returned` is `never` if there is no function. `NoInfer`: the state's type is inferred from the function, never from the variable that
// the result is assigned to.

type Remote<State, Args> = Args extends AnyToolArgs | null ? RemoteToolDefinition<State, Args> : never;

type Local<State, Args> = Args extends AnyToolArgs | null ? ToolDefinition<State, Args> : never;

/**
 * Declares a tool without arguments, or a remote tool, which has no function: results are posted to the thread (Standard Agents,
 * `defineTool`). The function returns a text, a JSON value or a result. A generator function streams its output.
 */
export function defineTool<
  State = ThreadState,
  Args extends AnyToolArgs | null = null,
  Returned extends AnyReturn = never,
>(
  description: string,
  toolOrArgs?:
    | (((state: State, ...parameters: Parameters<null>) => Returned | AnyParts) & CheckedReturn<NoInfer<Returned>>)
    | Args,
): [Returned] extends [never] ? Remote<NoInfer<State>, Args> : ToolDefinition<NoInfer<State>, null>;

/**
 * Declares a tool with arguments, or with options (Standard Agents, `defineTool`). Without a function it is a remote tool. The type of the
 * result still has the published `Promise<ToolResult>`, so use `readTool` to call the function of a definition.
 */
export function defineTool<State = ThreadState, Args extends object | null = null, Returned extends AnyReturn = never>(
  description: string,
  args: (Args & CheckedArgs<NoInfer<Args>>) | MisplacedTool<State, Args>,
  tool:
    | (((state: State, ...parameters: Parameters<Args>) => Returned | AnyParts) & CheckedReturn<NoInfer<Returned>>)
    | undefined,
  options?: Options<State, Args, Returned>,
): [Returned] extends [never] ? Remote<NoInfer<State>, Args> : Local<NoInfer<State>, Args>;

// TypeScript also tries this signature for a wrong call. With a schema's type it refuses a wrong schema too, without a second error.
export function defineTool(
  description: string,
  argsOrTool?: AnyToolArgs | ((state: never, call: never, none: never) => unknown) | null,
  tool?: unknown,
  options?: unknown,
): unknown {
  const definition =
    typeof argsOrTool === "function" ? [description, null, argsOrTool] : [description, argsOrTool ?? null, tool];
  return options === undefined ? definition : Object.assign(definition, { options });
}

/** The parts of a tool definition. `run` is absent for a remote tool. */
export interface ToolParts {
  description: string;
  schema: AnyToolArgs | null;
  /**
   * Calls the tool's function and returns what the function returned. `args` must be the output of `schema`; it is ignored if `schema` is
   * null.
   */
  run?: (state: ThreadState, args: unknown, call: ToolCall) => unknown;
  options: RemoteToolOptions<ThreadState, unknown>;
}

/** Reads the parts of a tool definition, made by `defineTool` or written as a tuple. */
export function readTool(definition: AnyToolDefinition): ToolParts {
  const [description, schema, tool] = definition;
  // The registry's type omits each tool's own state and argument types. Only this function restores them.
  const options = (definition.options ?? {}) as RemoteToolOptions<ThreadState, unknown>;
  if (tool === undefined) return { description, schema, options };
  const call = tool as (...values: unknown[]) => unknown;
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
