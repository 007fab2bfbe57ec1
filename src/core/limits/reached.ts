// Whether a run may ask a model again. Pure: bounds and counts in, the limit that is reached out.

import { amountNames, leftOf } from "./amounts.ts";
import type { AmountName, Bounds, Used } from "./amounts.ts";

/** Why a run ended at a limit, as `run_end.reason` says it. */
export type LimitReason = (typeof reasons)["run" | "thread"][AmountName];

/** What bounds a run, and what of it was used. */
export interface Budget {
  bounds: Bounds;
  used: Used;
}

const reasons = {
  run: {
    steps: "max_steps",
    turns: "max_turns",
    tokens: "max_tokens",
    duration_ms: "max_duration",
    cost: "max_cost",
  },
  thread: {
    steps: "thread_steps",
    turns: "thread_turns",
    tokens: "thread_tokens",
    duration_ms: "thread_duration",
    cost: "thread_cost",
  },
} as const;

/** The first limit that is reached, the run's before the thread's; null while there is room under every one. */
export function reachedLimit(budgets: { run: Budget; thread: Budget }): LimitReason | null {
  for (const whose of ["run", "thread"] as const) {
    const [amount] = reachedAmounts(budgets[whose]);
    if (amount !== undefined) return reasons[whose][amount];
  }
  return null;
}

/** What nothing is left of, in the order of the amounts. */
export function reachedAmounts({ bounds, used }: Budget): AmountName[] {
  const left = leftOf(bounds, used);
  return amountNames.filter((name) => (left[name] ?? 1) <= 0);
}

/** Why a run ends at its own limit of an amount. */
export function reasonOf(amount: AmountName): LimitReason {
  return reasons.run[amount];
}

/** Milliseconds that a run may still be driven, and which limit ends them; null where none does. */
export function timeLeft({ run, thread }: { run: Budget; thread: Budget }): { ms: number; reason: LimitReason } | null {
  const left = ({ bounds, used }: Budget) =>
    bounds.duration_ms === null ? Number.POSITIVE_INFINITY : bounds.duration_ms - used.duration_ms;
  const [own, whole] = [left(run), left(thread)];
  const ms = Math.max(0, Math.min(own, whole));
  if (ms === Number.POSITIVE_INFINITY) return null;
  return { ms, reason: own <= whole ? reasons.run.duration_ms : reasons.thread.duration_ms };
}
