// The strategy of a sub-prompt's loop, in which one model answers. It has no state: every decision follows from the stored rows.

import type { StepOutcome, Strategy } from "#core/ports/strategy-port.ts";
import { isResponse } from "#core/strategy/turn-strategy.ts";
import type { SideConfig } from "#spec/index.ts";

import { afterMismatch } from "./structured-answer.ts";
import type { AnswerForm } from "./structured-answer.ts";
import { configuredEnd } from "./turn-end.ts";
import type { TurnEnd } from "./turn-end.ts";

/** Facts of a sub-prompt's loop. */
export interface SideLoop {
  /** Null: no limit. */
  maxSteps: number | null;
  /** Counts the consecutive blank answers at the end of the loop's messages. */
  blanks: () => number;
  /** The form of the loop's answer; null for free text. */
  form: AnswerForm | null;
  /** Counts the consecutive answers without calls at the end of the loop's messages. */
  attempts: () => number;
}

/** Creates the strategy. The loop ends when `side` ends its turn, or after `maxSteps`. */
export function sideStrategy(side: SideConfig, { maxSteps, blanks, form, attempts }: SideLoop): Strategy {
  return {
    name: "loop",
    next: ({ steps, last }) => {
      const mayStep = maxSteps === null || steps < maxSteps;
      const response = last !== null && isResponse(last) ? last : null;
      const mismatch = form === null || response === null ? null : afterMismatch(form, response, attempts);
      if (mismatch?.type === "step" && mayStep) return { type: "step", shape: mismatch.shape ?? {} };
      const plain = last === null ? null : (configuredEnd(side, last, blanks) ?? plainEnd(side, last));
      const end = mismatch?.type === "failed" ? mismatch : mismatch === null ? plain : null;
      if (end?.type === "failed") {
        const { reason, message } = end;
        return { type: "end", status: "error", reason, error: { code: reason, message } };
      }
      if (end !== null) {
        const { reason, outcome } = end;
        const checked = form === null || response === null ? null : form.check(response);
        const data = checked?.ok === true ? { data: checked.data } : {};
        return { type: "end", status: "completed", reason, ...(outcome === undefined ? {} : { outcome }), ...data };
      }
      if (mayStep) return { type: "step" };
      return { type: "end", status: "limit", reason: "max_steps" };
    },
  };
}

/** The end of a turn by a plain response, as in the strategy `loop`. */
function plainEnd({ stopOnResponse }: SideConfig, last: StepOutcome): TurnEnd | null {
  return isResponse(last) && stopOnResponse !== false ? { type: "turn", reason: "response" } : null;
}
