// The type of a tool definition: the three-element tuple of Standard Agents, with additional options as a property of the tuple
// object. `call` is optional in the function's type, so that published tools are assignable; the runtime always passes it.

import type { z } from "zod";

import type { ThreadState } from "./thread-state.ts";
import type { AnyToolArgs } from "./tool-arguments.ts";
import type { ToolCall } from "./tool-call.ts";
import type { RemoteToolOptions, ToolOptions } from "./tool-options.ts";
import type { ToolResult } from "./tool-result-parts.ts";

/** The arguments of a tool without a schema. */
export type NoArgs = Record<string, never>;

/** The output type of a tool's schema. */
export type ParsedArgs<Args extends AnyToolArgs | null> = Args extends AnyToolArgs ? z.infer<Args> : NoArgs;

/** A tool's function (Standard Agents, tools). Without a schema its second parameter is `call`. */
export type Tool<State = ThreadState, Args extends AnyToolArgs | null = null> = Args extends AnyToolArgs
  ? (state: State, args: z.infer<Args>, call?: ToolCall) => Promise<ToolResult>
  : (state: State, call?: ToolCall) => Promise<ToolResult>;

interface WithOptions<State, Args extends AnyToolArgs | null> {
  options?: ToolOptions<State, ParsedArgs<Args>>;
}

/** `[description, schema or null, function]` (Standard Agents, tools), with optional `options`. */
export type ToolDefinition<State = ThreadState, Args extends AnyToolArgs | null = null> = [
  string,
  Args,
  Tool<State, Args>,
] &
  WithOptions<State, Args>;

/** A tool without a function: a call suspends the run until a client or another system posts the result. */
export type RemoteToolDefinition<State = ThreadState, Args extends AnyToolArgs | null = null> = [
  string,
  Args,
  undefined,
] & { options?: RemoteToolOptions<State, ParsedArgs<Args>> };

/**
 * Any tool: the type of tools in the registry. State and arguments are `never`, because each tool has its own types; `readTool`
 * returns a function that can be called. The runtime checks what the function returns.
 */
export type AnyToolDefinition = readonly [
  string,
  AnyToolArgs | null,
  ((state: never, args: never, call?: ToolCall) => unknown) | undefined,
] & { readonly options?: ToolOptions<never, never> };
