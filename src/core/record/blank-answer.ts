// Counts blank answers, which have no text, files or calls, and decides by the provider's stop reason whether a blank answer ends its run
// with an error.

import type { StepOutcome } from "../ports/strategy-port.ts";
import type { MessageRecord } from "./record.ts";
import { isBlank } from "./run-state.ts";
import { isAnswer, isInScope } from "./scope.ts";
import type { Scope } from "./scope.ts";

/**
 * The error that ends the run, because the same request would have the same result (decision record 17: how an answer ends). Null if the
 * stop reason is no error.
 */
export function causeOfBlankAnswer({
  stop_reason,
  stop_detail,
}: Pick<StepOutcome, "stop_reason" | "stop_detail">): { reason: string; message: string } | null {
  const detail = stop_detail === undefined ? "." : `: ${stop_detail}`;
  switch (stop_reason) {
    case "content_filter":
      return {
        reason: "content_filter",
        message: `The provider refused to answer or blocked the answer${detail}`,
      };
    case "length":
      return {
        reason: "length",
        message: "The answer reached its token limit before it held any text. Thinking counts towards maxTokens.",
      };
    case "stop":
    case "tool_calls":
    case "aborted":
    case "error":
    case null:
      return null;
  }
}

/** Counts the consecutive blank answers with which a loop's messages end. */
export function blankStreak(messages: readonly MessageRecord[], scope: Scope): number {
  const answers = messages.filter((message) => isAnswer(message) && isInScope(scope, message));
  return answers.length - 1 - answers.findLastIndex((message) => !isBlank(message));
}
