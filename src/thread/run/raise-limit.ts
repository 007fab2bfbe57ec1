// Resumes a run that is suspended at a limit when a `continue` raises the limit. A `continue` that does not raise it enough is refused: the
// run would be suspended again at once, and the caller would not learn why.

import { refuse } from "#contract/error.ts";
import type { PostRun } from "#contract/run-route.ts";
import type { LimitSuspension } from "#core/awaited.ts";
import { amountNames, remainingOf, noBounds } from "#core/limits/amounts.ts";
import type { SuspendedRun } from "#core/record.ts";
import { isSuspended } from "#core/run-state.ts";

import type { Driver } from "./driver.ts";

/** A run that is suspended at a limit. */
export interface LimitedRun {
  run: SuspendedRun;
  limit: LimitSuspension;
}

/** The active run if it is suspended at a limit; else null. */
export function limitedRun({ activeRun: run }: Driver): LimitedRun | null {
  if (run === null || !isSuspended(run)) return null;
  const { limit } = run.progress.suspension;
  return limit === null ? null : { run, limit };
}

/**
 * Replaces the run's limits by the requested ones and resumes the run. Throws `conflict` if a requested limit is not above the used amount.
 */
export function raiseLimit(driver: Driver, { run, limit }: LimitedRun, { limits = {}, side }: PostRun): void {
  const { amount, allowed, used } = limit;
  if (side !== undefined) {
    throw refuse("conflict", "A run rests at a limit, and goes on with the side that was to speak. Leave `side` out.", {
      field: "side",
      run_id: run.id,
    });
  }
  const wish = limits[amount];
  if (wish === undefined || !isMore(wish, limit)) {
    const message = `The run rests at its limit of ${amount}: ${used} of ${allowed} are used. Continue with a higher \`limits.${amount}\` than what is used, or with null; or stop the run.`;
    throw refuse("conflict", message, { field: `limits.${amount}`, run_id: run.id, limit: allowed, used });
  }
  const given = amountNames.filter((name) => limits[name] !== undefined);
  driver.resumeNow(run.id, (stored) => {
    stored.limits = { ...run.limits, ...limits };
    stored.progress.raised = [...new Set([...(run.progress.raised ?? []), ...given])];
    stored.progress.suspension.limit = null;
  });
}

/** Whether the requested limit is above the used amount. */
function isMore(wish: number | null, { amount, used }: LimitSuspension): boolean {
  const left = remainingOf({ ...noBounds, [amount]: wish }, { ...nothing, [amount]: used })[amount];
  return left === null || left > 0;
}

const nothing = { steps: 0, turns: 0, tokens: 0, duration_ms: 0, cost: 0 };
