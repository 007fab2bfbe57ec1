// The port of a question that a call asks a person while the call runs. The question is shown as a pending call of kind `question`, and its
// answer is posted like the result of a remote call. The call keeps running while it waits, so a crash that interrupts the call also ends
// the question.

import type { JsonObject } from "#contract/json.ts";

/** A question to a person. */
export interface Question {
  /** The text that the person reads. */
  readonly message: string;
  /** JSON Schema of the answer, which is an object. */
  readonly schema: JsonObject;
  /** The maximum number of milliseconds until the answer. */
  readonly timeoutMs: number;
}

/** How a question ended. `timeout`: there was no answer in time. `cancel`: the person dismissed it, or the call has ended. */
export type QuestionAnswer =
  | { action: "accept"; content: JsonObject }
  | { action: "decline" }
  | { action: "cancel" }
  | { action: "timeout" };

/**
 * Asks a question during a call. Contract: resolves soon after the signal has fired. Rejects if the question is too large, if too many
 * questions are open, or if its schema cannot be used.
 */
export type AskQuestion = (callId: string, question: Question, signal: AbortSignal) => Promise<QuestionAnswer>;
