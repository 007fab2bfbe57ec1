// The state that an execution had reached when it failed.

import type { AgentState } from "./agent-state.ts";

const states = new WeakMap<object, AgentState>();

/** Stores the state for an error. A thrown value that is not an object cannot have a state. */
export function keepPartialState(error: unknown, state: AgentState): void {
  if (typeof error === "object" && error !== null) states.set(error, state);
}

/**
 * Returns the state that an execution had reached when it threw this error, with the text of an answer that was interrupted. Undefined for
 * any other value. Each call in the state has a result, so an agent can be executed with the state again.
 */
export function partialState(error: unknown): AgentState | undefined {
  return typeof error === "object" && error !== null ? states.get(error) : undefined;
}
