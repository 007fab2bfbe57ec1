// Reads the limits of runs and threads from the deployment's variables. An invalid limit allows nothing until it is corrected, so that a
// typing mistake never permits spending. Only the step ceiling then has its default.

import type { Allowance } from "#core/limits/allowed.ts";
import { eachAmount } from "#core/limits/amounts.ts";
import type { AmountName } from "#core/limits/amounts.ts";

/** Steps of a run that has no limit from its agent or its caller (decision 8: step limits). */
const defaultStepCeiling = 250;

/**
 * Each value is a positive number, and a whole one except for USD. `null` or a missing variable means no limit, except for a missing
 * STEP_CEILING.
 */
export interface LimitVariables {
  /** Steps of a run that has no limit from its agent or its caller; `null` lifts the ceiling. Default 250. */
  STEP_CEILING?: string | undefined;
  /** Per run: turns of both sides together, tokens, milliseconds of execution, and USD. */
  LIMIT_RUN_TURNS?: string | undefined;
  LIMIT_RUN_TOKENS?: string | undefined;
  LIMIT_RUN_DURATION_MS?: string | undefined;
  LIMIT_RUN_COST?: string | undefined;
  /** The same per thread, for all its runs together. */
  LIMIT_THREAD_STEPS?: string | undefined;
  LIMIT_THREAD_TURNS?: string | undefined;
  LIMIT_THREAD_TOKENS?: string | undefined;
  LIMIT_THREAD_DURATION_MS?: string | undefined;
  LIMIT_THREAD_COST?: string | undefined;
}

const budgets = {
  run: {
    turns: "LIMIT_RUN_TURNS",
    tokens: "LIMIT_RUN_TOKENS",
    duration_ms: "LIMIT_RUN_DURATION_MS",
    cost: "LIMIT_RUN_COST",
  },
  thread: {
    steps: "LIMIT_THREAD_STEPS",
    turns: "LIMIT_THREAD_TURNS",
    tokens: "LIMIT_THREAD_TOKENS",
    duration_ms: "LIMIT_THREAD_DURATION_MS",
    cost: "LIMIT_THREAD_COST",
  },
} as const satisfies { run: Partial<Record<AmountName, keyof LimitVariables>>; thread: Record<AmountName, string> };

/** The deployment's limits. `onInvalid` is called with the name of each variable that has an invalid value. */
export function deploymentLimits(variables: LimitVariables, onInvalid: (name: string) => void = () => {}): Allowance {
  const bound = (name: keyof LimitVariables, amount: AmountName): number | null => {
    const text = variables[name]?.trim() ?? "";
    if (text === "" || text === "null") return null;
    const given = Number(text);
    if (given > 0 && (amount === "cost" ? Number.isFinite(given) : Number.isSafeInteger(given))) return given;
    onInvalid(name);
    return 0;
  };
  return {
    run: eachAmount((amount) =>
      amount === "steps" ? stepCeiling(variables.STEP_CEILING, onInvalid) : bound(budgets.run[amount], amount),
    ),
    thread: eachAmount((amount) => bound(budgets.thread[amount], amount)),
  };
}

/** Reads the step ceiling. An invalid value keeps the default, which limits runs as well, and `onInvalid` is called. */
function stepCeiling(value: string | undefined, onInvalid: (name: string) => void): number | null {
  const text = value?.trim() ?? "";
  if (text === "null") return null;
  const steps = text === "" ? defaultStepCeiling : Number(text);
  if (Number.isSafeInteger(steps) && steps > 0) return steps;
  onInvalid("STEP_CEILING");
  return defaultStepCeiling;
}
