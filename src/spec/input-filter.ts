// Input filters check a text from outside before it is stored: a posted message, an edit of a message or of a queued input. A filter in
// `agents/filters/` checks the inputs of all threads; a filter of an agent or a side checks those of its threads.

import type { ThreadState } from "./thread-state.ts";

/**
 * `pass`: accept the text. `warn`: accept it, and append the message to the stored text, so that the model reads it. `reject`: refuse the
 * input; the client receives the reason.
 */
export type InputVerdict =
  | { action: "pass" }
  | { action: "warn"; message: string }
  | { action: "reject"; reason: string };

/**
 * Checks a text. Filters run in order until one rejects the text; each receives the text that was sent. If a filter throws, returns anything
 * but a verdict, or takes more than 10 s, the input is refused and the log has the reason.
 */
export type InputFilter = (text: string, state: ThreadState) => InputVerdict | Promise<InputVerdict>;

const filterTag = Symbol.for("threadhold.filter");

/** Declares a filter of `agents/filters/`, and returns its function with a tag. */
export function defineFilter(filter: InputFilter): InputFilter {
  if (isInputFilter(filter)) return filter;
  const tagged = Object.isExtensible(filter) ? filter : (filter.bind(undefined) as InputFilter);
  return Object.defineProperty(tagged, filterTag, { value: true });
}

/** Whether a value was declared by `defineFilter`. */
export function isInputFilter(value: unknown): boolean {
  return typeof value === "function" && Reflect.get(value, filterTag) === true;
}
