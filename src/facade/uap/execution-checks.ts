// Checks the values that programs in JavaScript pass to an execution, or return from the functions that it calls. Each error names the place.

import { fieldsOf } from "#lib/json-value.ts";

import { refusal } from "../upp/upp-error.ts";
import type { GenerateResult } from "./agent-contract.ts";
import type { AgentState } from "./agent-state.ts";

/** Checks the form and not the class, because a state that another copy of the package created is an instance of a different class. */
export function isState(value: unknown): value is AgentState {
  const { messages, withContext } = fieldsOf(value);
  return Array.isArray(messages) && typeof withContext === "function";
}

/** Returns the state. `place` names it in the error. */
export function checkedState(state: unknown, place: string): AgentState {
  if (isState(state)) return state;
  const problem = state === undefined ? "is missing" : "is not an AgentState";
  throw refusal(`${place} ${problem}. Use AgentState.initial(), or restore JSON with AgentState.fromJSON first.`);
}

/** Returns the result. `place` names the function that returned it. */
export function checkedResult(
  returned: unknown,
  place: string,
  { isOptional }: { isOptional: boolean },
): GenerateResult {
  const { turn, state } = fieldsOf(returned);
  if (Array.isArray(fieldsOf(turn)["messages"]) && isState(state)) return returned as GenerateResult;
  throw refusal(
    `${place} returned no result. Return { turn, state }, with a Turn and an AgentState${isOptional ? ", or nothing" : ""}.`,
  );
}

/** Calls a function that checks what `onError` returned. If it throws, the error has the error of the execution as its cause. */
export function withCause<T>(thrown: unknown, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof Error) error.cause = thrown;
    throw error;
  }
}
