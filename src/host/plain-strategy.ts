// The strategy of a run in process: the run is complete when an answer calls no tool.

import { causeOfBlankAnswer } from "#core/blank-answer.ts";
import type { Strategy } from "#core/ports/strategy-port.ts";

/** Has no memory and no turns. A blank answer ends the run like any other, unless its provider reported an error. */
export const plainStrategy: Strategy = {
  name: "loop",
  next({ last, hasNewInput = false }) {
    if (last === null || last.calls.length > 0) return { type: "step" };
    const cause = last.blank ? causeOfBlankAnswer(last) : null;
    if (cause !== null) {
      const { reason, message } = cause;
      return { type: "end", status: "error", reason, outcome: null, error: { code: reason, message } };
    }
    return hasNewInput ? { type: "step" } : { type: "end", status: "completed", reason: "response", outcome: null };
  },
};
