// defineRemoteTool declares a tool without a function from named fields. Its result equals that of `defineTool` without a function.

import type { ThreadState } from "./thread-state.ts";
import type { AnyToolArgs } from "./tool-arguments.ts";
import type { RemoteToolOptions } from "./tool-options.ts";
import type { ParsedArgs, RemoteToolDefinition } from "./tool.ts";

/** A remote tool's description, arguments and options. */
export interface RemoteToolFields<
  State = ThreadState,
  Args extends AnyToolArgs | null = null,
> extends RemoteToolOptions<State, ParsedArgs<Args>> {
  /** The description that the model reads. */
  description: string;
  /** The arguments as a `z.object`. Default: no arguments. */
  args?: Args;
}

/**
 * Declares a remote tool: a client or another system executes its calls and posts the results. The same as
 * `defineTool(description, args, undefined, options)`.
 */
export function defineRemoteTool<State = ThreadState, Args extends AnyToolArgs | null = null>({
  description,
  args,
  ...options
}: RemoteToolFields<State, Args>): RemoteToolDefinition<NoInfer<State>, Args> {
  // The type parameter defaults to null if `args` is absent.
  const definition: [string, Args, undefined] = [description, (args ?? null) as Args, undefined];
  return Object.keys(options).length === 0 ? definition : Object.assign(definition, { options });
}
