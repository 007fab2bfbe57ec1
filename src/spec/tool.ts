// The shape of a tool definition: the document's three-element tuple, with our options as a property of the tuple
// object. `call` is optional in the tuple's function type, so that published tools and ours fit each other; the
// runtime always gives it.

import type { z } from "zod";

import type { ThreadState } from "./thread-state.ts";
import type { AnyToolArgs } from "./tool-arguments.ts";
import type { ToolCall } from "./tool-call.ts";
import type { RemoteToolOptions, ToolOptions } from "./tool-options.ts";
import type { ToolResult } from "./tool-result.ts";
import type { ToolStream } from "./tool-stream.ts";

/** The arguments of a tool that takes none. */
export type NoArgs = Record<string, never>;

/** What a tool's schema parses to. */
export type ParsedArgs<Args extends AnyToolArgs | null> = Args extends AnyToolArgs ? z.infer<Args> : NoArgs;

/** A tool's function (Standard Agents, tools). Without arguments `call` takes their place. */
export type Tool<State = ThreadState, Args extends AnyToolArgs | null = null> = Args extends AnyToolArgs
  ? (state: State, args: z.infer<Args>, call?: ToolCall) => Promise<ToolResult>
  : (state: State, call?: ToolCall) => Promise<ToolResult>;

interface WithOptions<State, Args extends AnyToolArgs | null> {
  options?: ToolOptions<State, ParsedArgs<Args>>;
}

/** `[description, schema or null, function]` (Standard Agents, tools), and perhaps `options`. */
export type ToolDefinition<State = ThreadState, Args extends AnyToolArgs | null = null> = [
  string,
  Args,
  Tool<State, Args>,
] &
  WithOptions<State, Args>;

/** A tool without a function: its calls rest until a client or another system posts their results. */
export type RemoteToolDefinition<State = ThreadState, Args extends AnyToolArgs | null = null> = [
  string,
  Args,
  undefined,
] & { options?: RemoteToolOptions<State, ParsedArgs<Args>> };

/**
 * Any tool: what the registry holds. State and arguments are `never`, because each tool wants its own;
 * `readTool` gives a function that can be called.
 */
export type AnyToolDefinition = readonly [
  string,
  AnyToolArgs | null,
  ((state: never, args: never, call?: ToolCall) => Promise<ToolResult> | ToolStream) | undefined,
] & { readonly options?: ToolOptions<never, never> };
