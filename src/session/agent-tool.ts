// Tools in the form of the agent API rework plan ("Tool Execution"). A tool with a function runs in this process and streams its output. A
// tool without one is remote: the caller of the session runs the tool's calls and passes their results to `execute`. JSON drops functions,
// so a list of tools that passed through JSON is a list of remote tools.

import type { JsonObject } from "#contract/json.ts";

/** An event of a running tool: a piece of its output, or at the end the whole output. */
export type ToolExecutionEvent =
  | { type: "delta"; delta: string }
  /** The model reads `output`. `details` are for programs and have to be JSON. */
  | { type: "complete"; output: string; details?: unknown };

/** The events of a running tool. Events after `complete` are not read. */
export type ToolExecutionEventStream = AsyncIterable<ToolExecutionEvent>;

/** The output of a tool that does not stream. The model reads `output`. `details` are for programs and have to be JSON. */
export interface ToolOutput {
  output: string;
  details?: unknown;
}

/** What `execute` returns: a promise of the output, or an iterable of events. */
export type ToolExecution = Promise<ToolOutput> | ToolExecutionEventStream | Iterable<ToolExecutionEvent>;

/** A JSON Schema with `"type": "object"`. A TypeBox schema includes the TypeScript type of the parameters. */
export type ToolParameters<TParams> = Readonly<Record<string, unknown>> | { readonly static: TParams };

/** A tool (agent API rework plan, `AgentTool`). `TParams` is the type of its parameters. */
export interface AgentTool<TParams = JsonObject> {
  /** The name by which the model calls the tool. */
  name: string;
  /** The name that is shown to people. */
  label: string;
  /** The description for the model. Default: the label. */
  description?: string;
  /** Arguments are checked against this schema before the tool runs. The model reads why invalid ones were refused. */
  parameters: ToolParameters<TParams>;
  /**
   * Executes one call: a promise of `{ output, details? }`, or an iterable of events that ends with `complete`. An exception becomes an error that the model reads. Without this function the tool is remote. The signal, an
   * addition to the plan, aborts when the execution is aborted or the call's time is up; the result is then ignored.
   */
  execute?(id: string, params: TParams, signal: AbortSignal): ToolExecution;
}

/** A tool with parameters of any type. */
export interface AnyAgentTool extends Omit<AgentTool<never>, "parameters"> {
  parameters: object;
}

/** Whether a tool runs in this process. */
export function isLocalTool(tool: AnyAgentTool): boolean {
  return tool.execute !== undefined;
}

/** Creates a tool that does not stream: one function with one result (agent API rework plan, `createSimpleTool`). */
export function createSimpleTool<TParams = JsonObject>(
  config: Omit<AgentTool<TParams>, "execute">,
  handler: (id: string, params: TParams, signal: AbortSignal) => Promise<ToolOutput>,
): AgentTool<TParams> {
  return {
    ...config,
    async *execute(id, params, signal) {
      const result = await handler(id, params, signal);
      yield { type: "complete", ...result };
    },
  };
}
