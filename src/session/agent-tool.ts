// Tools as the agent API rework plan writes them ("Tool Execution"): a tool with a function runs here and streams what it
// does; one without is remote, and whoever holds the session answers its calls. JSON drops functions, so the list that runs
// here is the list of remote tools of a session elsewhere.

import type { JsonObject } from "#contract/json.ts";

/** What a running tool says: pieces of its output as they come, then once the whole. */
export type ToolExecutionEvent =
  | { type: "delta"; delta: string }
  /** The model reads `output`; `details` are for programs and have to be JSON. */
  | { type: "complete"; output: string; details?: unknown };

/** Work that is under way. It ends with its `complete`; what comes behind that is not asked for. */
export type ToolExecutionEventStream = AsyncIterable<ToolExecutionEvent>;

/** A JSON Schema with `"type": "object"`; one that TypeBox makes brings the type of what it describes. */
export type ToolParameters<TParams> = Readonly<Record<string, unknown>> | { readonly static: TParams };

/** A tool (agent API rework plan, `AgentTool`). `TParams` is what its parameters describe. */
export interface AgentTool<TParams = JsonObject> {
  /** What the model calls it by. */
  name: string;
  /** What people call it by. */
  label: string;
  /** What the model reads; the label where it is left out. */
  description?: string;
  /** Arguments are checked against it before anything runs; the model reads why they did not fit. */
  parameters: ToolParameters<TParams>;
  /**
   * Does the work of one call. What it throws is an error that the model reads. Left out, the tool is remote. The signal,
   * which the plan does not have, fires when the execution is aborted or the call's time is up; nobody waits for the work then.
   */
  execute?(id: string, params: TParams, signal: AbortSignal): ToolExecutionEventStream;
}

/** Any tool: what a session is given. */
export interface AnyAgentTool extends Omit<AgentTool<never>, "parameters"> {
  parameters: object;
}

/** Whether a tool runs here. */
export function isLocalTool(tool: AnyAgentTool): boolean {
  return tool.execute !== undefined;
}

/** Makes a tool that does not stream: one function, one result (agent API rework plan, `createSimpleTool`). */
export function createSimpleTool<TParams = JsonObject>(
  config: Omit<AgentTool<TParams>, "execute">,
  handler: (id: string, params: TParams, signal: AbortSignal) => Promise<{ output: string; details?: unknown }>,
): AgentTool<TParams> {
  return {
    ...config,
    async *execute(id, params, signal) {
      const result = await handler(id, params, signal);
      yield { type: "complete", ...result };
    },
  };
}
