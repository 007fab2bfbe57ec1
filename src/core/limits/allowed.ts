// Checks the limits that a caller asks for against those of the deployment.

import type { Limits } from "#contract/run.ts";

import { amountNames } from "./amounts.ts";
import type { AmountName, Bounds } from "./amounts.ts";

/**
 * The maximum that a deployment allows runs and threads to use. `run.steps` applies only if the agent does not bound its turns, or if
 * another agent handed the thread over.
 */
export interface Allowance {
  run: Bounds;
  thread: Bounds;
}

/**
 * The first requested limit that is above the allowed one; null if there is none. A request to remove a limit (null) is above every allowed
 * limit.
 */
export function excess(
  requestedLimits: Limits | null | undefined,
  allowed: Bounds,
): { name: AmountName; limit: number } | null {
  for (const name of amountNames) {
    const [requested, limit] = [requestedLimits?.[name], allowed[name]];
    if (requested === undefined || limit === null) continue;
    if (requested === null || requested > limit) return { name, limit };
  }
  return null;
}
