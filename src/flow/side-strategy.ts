// The strategy of a sub-prompt's loop, in which one model answers. It has no state: every decision follows from the stored rows.

import type { Strategy } from "#core/ports/strategy-port.ts";
import type { SideConfig } from "#spec/index.ts";

import { turnEnd } from "./turn-end.ts";

/**
 * Creates the strategy. The loop ends when `side` ends its turn, or after `maxSteps`. `blanks` counts the blank answers at the end of the
 * loop.
 */
export function sideStrategy(side: SideConfig, maxSteps: number | null, blanks: () => number): Strategy {
  return {
    name: "loop",
    next: ({ steps, last }) => {
      const end = last === null ? null : turnEnd(side, last, blanks);
      if (end?.type === "failed") {
        const { reason, message } = end;
        return { type: "end", status: "error", reason, error: { code: reason, message } };
      }
      if (end !== null) {
        const { reason, outcome } = end;
        return { type: "end", status: "completed", reason, ...(outcome === undefined ? {} : { outcome }) };
      }
      if (maxSteps === null || steps < maxSteps) return { type: "step" };
      return { type: "end", status: "limit", reason: "max_steps" };
    },
  };
}
