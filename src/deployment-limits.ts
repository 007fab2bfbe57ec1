// What a deployment allows runs and threads to use, from its variables. A budget that makes no sense is no budget to be
// guessed at: nothing is allowed until it is mended, so that a slip of the pen never lets anything be spent.

import type { Allowance } from "#core/limits/allowed.ts";
import { eachAmount } from "#core/limits/amounts.ts";
import type { AmountName } from "#core/limits/amounts.ts";

/** Steps a run may take where nobody sets a limit (decision 8). */
const defaultStepCeiling = 250;

/** A positive number each, whole but for USD; `null` or nothing bounds nothing. */
export interface LimitVariables {
  /** Steps a run may take where nobody sets a limit: a number, or `null` to lift the ceiling. 250 when absent. */
  STEP_CEILING?: string | undefined;
  /** Turns of both sides together, tokens, milliseconds at work and USD of a run. */
  LIMIT_RUN_TURNS?: string | undefined;
  LIMIT_RUN_TOKENS?: string | undefined;
  LIMIT_RUN_DURATION_MS?: string | undefined;
  LIMIT_RUN_COST?: string | undefined;
  /** The same of a thread, all its runs together. */
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

/** What the deployment allows. `misread` is told the name of each variable that makes no sense. */
export function deploymentLimits(variables: LimitVariables, misread: (name: string) => void = () => {}): Allowance {
  const bound = (name: keyof LimitVariables, amount: AmountName): number | null => {
    const text = variables[name]?.trim() ?? "";
    if (text === "" || text === "null") return null;
    const given = Number(text);
    if (given > 0 && (amount === "cost" ? Number.isFinite(given) : Number.isSafeInteger(given))) return given;
    misread(name);
    return 0;
  };
  return {
    run: eachAmount((amount) =>
      amount === "steps" ? stepCeiling(variables.STEP_CEILING) : bound(budgets.run[amount], amount),
    ),
    thread: eachAmount((amount) => bound(budgets.thread[amount], amount)),
  };
}

/** A value that makes no sense keeps the default, which bounds a run as well. */
function stepCeiling(value: string | undefined): number | null {
  if (value === "null") return null;
  const steps = Number(value ?? defaultStepCeiling);
  return Number.isInteger(steps) && steps > 0 ? steps : defaultStepCeiling;
}
