// Checks of a user's text before a model reads it.

import type { ThreadState } from "./thread-state.ts";

/** `pass`: accept the text. `warn`: accept it and add a remark for the model. `reject`: refuse it and end the run. */
export type InputVerdict =
  | { action: "pass" }
  | { action: "warn"; message: string }
  | { action: "reject"; reason: string };

/**
 * Checks a user's text. Filters run in order until one rejects the text. Not available yet: a build refuses an agent with filters.
 */
export type InputFilter = (text: string, state: ThreadState) => InputVerdict | Promise<InputVerdict>;
