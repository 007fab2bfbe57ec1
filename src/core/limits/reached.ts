// Finds the limit that a run has reached, if any. Pure: computes it from bounds and used amounts.

import { addUsed, amountNames, remainingOf } from "./amounts.ts";
import type { AmountName, Bounds, Used } from "./amounts.ts";

/** Why a run ended at a limit, in the form of `run_end.reason`. */
export type LimitReason = (typeof reasons)["run" | "thread"][AmountName];

/** The bounds of a run or a thread, and the amounts it has used. */
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

/** The budgets after further use. */
export function withUse(
  { run, thread }: Record<"run" | "thread", Budget>,
  more: Used,
): Record<"run" | "thread", Budget> {
  return {
    run: { ...run, used: addUsed(run.used, more) },
    thread: { ...thread, used: addUsed(thread.used, more) },
  };
}

/** The first limit that is reached, the run's before the thread's; null if none is. */
export function reachedLimit(budgets: { run: Budget; thread: Budget }): LimitReason | null {
  for (const whose of ["run", "thread"] as const) {
    const [amount] = reachedAmounts(budgets[whose]);
    if (amount !== undefined) return reasons[whose][amount];
  }
  return null;
}

/** The first limit that `more` would exceed, in the order of `reachedLimit`; null if it fits the remaining budgets. */
export function exceededLimit(budgets: { run: Budget; thread: Budget }, more: Used): LimitReason | null {
  for (const whose of ["run", "thread"] as const) {
    const { bounds, used } = budgets[whose];
    const remaining = remainingOf(bounds, addUsed(used, more));
    const amount = amountNames.find((name) => (remaining[name] ?? 0) < 0);
    if (amount !== undefined) return reasons[whose][amount];
  }
  return null;
}

/** The amounts of which nothing remains, in their order. */
export function reachedAmounts({ bounds, used }: Budget): AmountName[] {
  const remaining = remainingOf(bounds, used);
  return amountNames.filter((name) => (remaining[name] ?? 1) <= 0);
}

/**
 * The `run_end.reason` of a run whose limit of this amount (such as steps or cost) is reached. A limit of the thread has another reason.
 */
export function reasonOf(amount: AmountName): LimitReason {
  return reasons.run[amount];
}

/** Milliseconds that the run may still execute, with the limit that ends it; null if no limit does. */
export function remainingTime({
  run,
  thread,
}: {
  run: Budget;
  thread: Budget;
}): { ms: number; reason: LimitReason } | null {
  const remainingMs = ({ bounds, used }: Budget) =>
    bounds.duration_ms === null ? Number.POSITIVE_INFINITY : bounds.duration_ms - used.duration_ms;
  const [runMs, threadMs] = [remainingMs(run), remainingMs(thread)];
  const ms = Math.max(0, Math.min(runMs, threadMs));
  if (ms === Number.POSITIVE_INFINITY) return null;
  return { ms, reason: runMs <= threadMs ? reasons.run.duration_ms : reasons.thread.duration_ms };
}
