// Computes what a run has used from its rows: its model requests in all its loops, and the usage that its children reported.

import type { Work } from "../record/awaited.ts";
import type { MessageRecord } from "../record/record.ts";
import type { RunRecord } from "../record/run-record.ts";
import { isModelAnswer } from "../record/scope.ts";
import type { Used } from "./amounts.ts";

/** No usage. */
export const zeroWork: Work = Object.freeze({ steps: 0, turns: 0, driven_ms: 0, paid: 0 });

/** The field `requests`. It is absent for 0, so that the records of most runs do not have it. */
function requestsField(requests: number): Pick<Work, "requests"> {
  return requests === 0 ? {} : { requests };
}

/** The sum of two usages. */
export function addWork(one: Work, other: Work): Work {
  return {
    steps: one.steps + other.steps,
    turns: one.turns + other.turns,
    driven_ms: one.driven_ms + other.driven_ms,
    paid: one.paid + other.paid,
    ...requestsField((one.requests ?? 0) + (other.requests ?? 0)),
  };
}

/** The usage between an earlier and a later count. */
export function workSince(earlier: Work, later: Work): Work {
  return {
    steps: later.steps - earlier.steps,
    turns: later.turns - earlier.turns,
    driven_ms: later.driven_ms - earlier.driven_ms,
    paid: later.paid - earlier.paid,
    ...requestsField((later.requests ?? 0) - (earlier.requests ?? 0)),
  };
}

/** The usage of a run and its children. `messages` are the run's; `own` has the counts that messages do not contain. */
export function workOf(messages: readonly MessageRecord[], own: Omit<Work, "steps">): Work {
  const steps = messages.filter(isModelAnswer).length;
  return messages.reduce((sum, { work = zeroWork }) => addWork(sum, work), addWork(zeroWork, { ...own, steps }));
}

/** The usage in a record. A record of an earlier version has no `work`, so only its cost is known. */
export function workIn({ work, cost }: { work?: Work; cost: number | null }): Work {
  return work ?? { ...zeroWork, paid: cost ?? 0 };
}

/** Converts usage and tokens to used amounts. */
export function usedOf({ usage }: Pick<RunRecord, "usage">, { steps, turns, driven_ms, paid }: Work): Used {
  return { steps, turns, tokens: usage.total_tokens, duration_ms: driven_ms, cost: paid };
}
