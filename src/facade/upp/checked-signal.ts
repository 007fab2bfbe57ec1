// Checks the option `signal` of `llm` and of agents.

import { fieldsOf } from "#lib/json-value.ts";

import { refusal } from "./upp-error.ts";

/** Returns the signal. A controller in place of its signal is refused. */
export function checkedSignal(signal: AbortSignal | undefined): AbortSignal | undefined {
  if (signal === undefined || typeof fieldsOf(signal)["addEventListener"] === "function") return signal;
  throw refusal("The option signal has to be an AbortSignal. Of an AbortController, use its property signal.");
}
