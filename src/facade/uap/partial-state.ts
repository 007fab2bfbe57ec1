// The state that an execution had reached when it failed.

import type { AgentState } from "./agent-state.ts";

const states = new WeakMap<object, AgentState>();

/** Keeps the state for the error of an execution. A thrown value that is no object has none. */
export function keepPartialState(error: unknown, state: AgentState): void {
  if (typeof error === "object" && error !== null) states.set(error, state);
}

/**
 * The state that an execution had reached when it threw this error: its messages so far, with those of an answer that was interrupted.
 * Undefined for any other value. Each call has its result, so the agent can be executed again with the state.
 */
export function partialState(error: unknown): AgentState | undefined {
  return typeof error === "object" && error !== null ? states.get(error) : undefined;
}
