// The state that an execution had reached when it failed. It is found by the thrown error, because the errors of a program are thrown unchanged.
// A program may throw the same object in several executions, such as a constant. These may belong to several users, so no state is returned
// for such an object.

import type { AgentState } from "./agent-state.ts";

/** The execution that threw an object; "several" if more than one execution threw it, which is final. */
const executions = new WeakMap<object, ReachedState | "several">();

/** The last known state of one execution. */
export class ReachedState {
  /** Undefined until the execution strategy begins. */
  state: AgentState | undefined;

  /** Links an error of the execution to its state. A thrown value that is not an object cannot have a state. */
  keepFor(error: unknown): void {
    if (typeof error !== "object" || error === null) return;
    const known = executions.get(error);
    executions.set(error, known === undefined || known === this ? this : "several");
  }
}

/**
 * Returns the state that an execution had reached when it threw this error, with the text of an answer that was interrupted. Undefined for
 * any other value, and for an object that more than one execution threw: throw a new error in each execution, or use the state that `onError`
 * receives. Each call in the state has a result, so an agent can be executed with the state again.
 */
export function partialState(error: unknown): AgentState | undefined {
  const known = typeof error === "object" && error !== null ? executions.get(error) : undefined;
  return known === "several" ? undefined : known?.state;
}
