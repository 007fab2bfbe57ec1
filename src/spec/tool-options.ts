// Options for the execution of a tool's calls: repetition after a crash, approval, time limits and order. All of them are additions
// to Standard Agents and leave its three-element tuple unchanged.

import type { CallableName } from "./register.ts";
import type { ThreadState } from "./thread-state.ts";
import type { AnyToolArgs } from "./tool-arguments.ts";
import type { ToolResult } from "./tool-result-parts.ts";

/** The outcome of a call whose result was lost in a crash: its result, or `not_done` if the call had no effect. */
export type ReconcileAnswer = ToolResult | "not_done";

/** Options of a tool. `Args` is the output type of its schema. */
export interface ToolOptions<State = ThreadState, Args = Record<string, unknown>> {
  /** The call may run twice with the same id: after a crash it simply runs again. */
  idempotent?: boolean;
  /**
   * Whether a call on a new branch of a thread (a rerun, an edit) runs again although the part of the conversation that the branch leaves
   * behind has the result of an equal call. Default false: the call takes that result, and its effect is not repeated. `idempotent` does
   * not imply it, because it concerns the same call.
   */
  repeatable?: boolean;
  /** Finds out the outcome of a call that a crash interrupted, for example from the service that the tool called. */
  reconcile?: (callId: string, args: Args, state: State) => Promise<ReconcileAnswer>;
  /**
   * Whether a call needs a person's approval before it runs: always, or unless the function returns false. If the function throws or
   * takes longer than `timeoutMs`, the call does not run. No effect for remote tools, whose client asks the person itself.
   */
  needsApproval?: boolean | ((args: Args, state: State) => boolean | Promise<boolean>);
  /** Whether the person who approves a call may change its arguments. */
  editableArguments?: boolean;
  /** Milliseconds to wait for a remote tool's result or an approval; then the call ends with an error. Default 24 hours. */
  deadlineMs?: number;
  /** Milliseconds that the function may take. Then its signal is aborted and the call fails. Default 120,000. */
  timeoutMs?: number;
  /** Whether a call never runs at the same time as another call of its step. */
  sequential?: boolean;
  /** Tools whose calls in the same step run before this tool's. */
  dependsOn?: CallableName[];
}

/** Options of a remote tool. */
export interface RemoteToolOptions<State = ThreadState, Args = Record<string, unknown>> extends ToolOptions<
  State,
  Args
> {
  /**
   * Schema of the result. A result that does not match is refused with an explanation, and the call stays pending. The playground
   * shows a form for it. Without a schema the result is any text or JSON.
   */
  resultSchema?: AnyToolArgs;
}
