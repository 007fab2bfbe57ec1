// How the runtime treats a tool's calls: crash safety, approval, deadlines, order. All of it is ours, none of it
// changes the document's three-element tuple.

import type { CallableName } from "./register.ts";
import type { ThreadState } from "./thread-state.ts";
import type { AnyToolArgs } from "./tool-arguments.ts";
import type { ToolResult } from "./tool-result.ts";

/** What the outside world knows of a call whose outcome was lost: its result, or that it never happened. */
export type ReconcileAnswer = ToolResult | "not_done";

/** Options of a tool. `Args` is what its schema parses to. */
export interface ToolOptions<State = ThreadState, Args = Record<string, unknown>> {
  /** Safe to run twice with one call id: after a crash the call is simply run again. */
  idempotent?: boolean;
  /** Asks the outside world what became of a call that a crash cut off. */
  reconcile?: (callId: string, args: Args, state: State) => Promise<ReconcileAnswer>;
  /**
   * Wait for a person's consent before running: always, or when the function says so. A function that throws or takes longer
   * than `timeoutMs` lets nothing run. Remote tools run at a client, which asks for itself: there it changes nothing.
   */
  needsApproval?: boolean | ((args: Args, state: State) => boolean | Promise<boolean>);
  /** Whoever approves may change the arguments. */
  editableArguments?: boolean;
  /** Milliseconds to wait for a remote tool's result, or for a consent, before the model is told there is none: 24 h. */
  deadlineMs?: number;
  /** Milliseconds the function may take before its signal fires and the call is an error. */
  timeoutMs?: number;
  /** Never runs beside another call of the same step. */
  sequential?: boolean;
  /** Tools whose calls in the same step run first. */
  dependsOn?: CallableName[];
}

/** Options of a tool that a client answers. */
export interface RemoteToolOptions<State = ThreadState, Args = Record<string, unknown>> extends ToolOptions<
  State,
  Args
> {
  /**
   * What its result is made of. A result that does not fit is refused, with what is wrong with it, and its call waits on; the
   * playground asks for one in a form. Without it a result is any text or JSON.
   */
  resultSchema?: AnyToolArgs;
}
