// The interface between a thread and the models or agents that a tool's function executes in process with the option `{ in: state }`. Their
// usage is added to that of the thread's run, and the thread sends their events.

import type { PlainEvent } from "#contract/event.ts";
import type { Usage } from "#contract/usage.ts";
import type { ThreadState } from "#spec/index.ts";

import type { LogRecord } from "../record/record.ts";
import type { Reserved } from "./limit-port.ts";
import type { ModelRequest } from "./model-port.ts";

/**
 * The property of a tool's `state` that has its `ToolHost`. The symbol is of the global registry, because the code of a tool and the
 * runtime may be parts of different bundles.
 */
export const toolHost = Symbol.for("threadhold.tool-host");

/** What an execution uses of the thread's object to send requests to models. */
export interface HostConnection {
  /** Keys and addresses of providers. */
  env: Record<string, unknown>;
  /** Sends the requests to models. */
  fetch: typeof globalThis.fetch;
}

/** What an execution in a call of a tool uses of the thread. */
export interface ToolHost extends HostConnection {
  executions: CallExecutions;
}

/** Begins the executions of one call. */
export interface CallExecutions {
  /** Fires when the call is stopped, and when it has its result. */
  readonly signal: AbortSignal;
  /** Begins an execution. `type`: the name of the model or agent. `prompt`: the input. Null after the call has its result. */
  begin(start: { type: string; prompt: string }): CallExecution | null;
}

/** The executions of one call, as the call itself uses them. */
export interface ClosableExecutions extends CallExecutions {
  /** Aborts what is open, and waits a moment for its end. */
  close(): Promise<unknown>;
  totals(): readonly ExecutionTotals[];
}

/** The totals of an ended execution, as in the metadata of the call's message. */
export interface ExecutionTotals {
  id: string;
  type: string;
  success: boolean;
  /** The number of model requests. */
  requests: number;
  usage: Usage;
  cost: number | null;
}

/** One execution. Contract: the caller ends every execution, and does so soon after the signal has fired. */
export interface CallExecution {
  /**
   * Reserves the share of a model request, as in `LimitPort`. The caller gives it back after `log`. Absent if the run has no limits.
   */
  reserve?: (request: ModelRequest, signal: AbortSignal) => Promise<Reserved>;
  /** Sends an event of the execution to the thread's subscribers. It is not stored. */
  send(event: PlainEvent): void;
  /** Counts a model request, and writes its log row. `record` is the row of the request in the execution. */
  log(record: LogRecord): void;
  end(outcome: { success: boolean; result?: string; error?: string }): void;
}

/** The host in the state of a tool's call. Undefined for any other value. */
export function toolHostOf(state: ThreadState | null): ToolHost | undefined {
  return (state as { [toolHost]?: ToolHost } | null)?.[toolHost];
}

/** The text of the error for an option `in` whose value has no host. */
export const withoutHost =
  "The option `in` takes the state that a tool's function receives in a run of a thread. In a hook, a thread endpoint or an invoked tool, leave it out; tokens and cost are then counted nowhere.";
