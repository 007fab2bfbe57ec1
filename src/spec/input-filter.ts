// Checks on what a user writes, before a model reads it.

import type { ThreadState } from "./thread-state.ts";

/** Let the text through, let it through with a remark for the model, or refuse it and end the run. */
export type InputVerdict =
  | { action: "pass" }
  | { action: "warn"; message: string }
  | { action: "reject"; reason: string };

/** Accepts or refuses a user's text. Filters run in order; the first refusal counts. Not available yet: a build refuses an agent with filters. */
export type InputFilter = (text: string, state: ThreadState) => InputVerdict | Promise<InputVerdict>;
