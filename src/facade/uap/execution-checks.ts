// Checks the values that programs in JavaScript pass to an execution, or return from the functions that it calls. Each error names the place.
// A function of a program, such as a hook, may wait for a person or a network and ignore the signal: `abortable` ends the wait for it.

import { fieldsOf } from "#lib/json-value.ts";

import { cancelled } from "../upp/failure-error.ts";
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

/**
 * Returns the value that a function returned. For a promise, returns a promise that rejects with CANCELLED when the signal aborts first. A later
 * result of the function is then ignored.
 */
export function abortable<T>(returned: T, signal: AbortSignal | undefined): T | Promise<Awaited<T>> {
  if (signal === undefined || typeof fieldsOf(returned)["then"] !== "function") return returned;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(cancelled("", signal.reason));
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    const ended = (): void => signal.removeEventListener("abort", abort);
    Promise.resolve(returned).then(resolve, reject).then(ended, ended);
  });
}

/** Calls `onError` and waits as `abortable` does. After an abort it waits until `onError` ends, because `onError` may store data then. */
export function abortableOnError<T>(call: () => T, signal: AbortSignal | undefined): T | Promise<Awaited<T>> {
  return signal?.aborted === true ? call() : abortable(call(), signal);
}
