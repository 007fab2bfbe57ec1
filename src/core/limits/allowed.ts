// What a caller may ask for: less than the deployment allows, or as much.

import type { Limits } from "#contract/run.ts";

import { amountNames } from "./amounts.ts";
import type { AmountName, Bounds } from "./amounts.ts";

/** What a deployment allows runs and threads to use. `run.steps` holds where the agent does not bound its turns. */
export interface Allowance {
  run: Bounds;
  thread: Bounds;
}

/** The first bound that is asked for and beyond what is allowed; null where there is none. */
export function excess(asked: Limits | null | undefined, allowed: Bounds): { name: AmountName; limit: number } | null {
  for (const name of amountNames) {
    const [wish, limit] = [asked?.[name], allowed[name]];
    if (wish === undefined || limit === null) continue;
    if (wish === null || wish > limit) return { name, limit };
  }
  return null;
}
