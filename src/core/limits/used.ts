// What a run has used, read from its rows: its own model calls on every line, and what its children told.

import type { Work } from "../awaited.ts";
import type { MessageRecord, RunRecord } from "../record.ts";
import { isModelAnswer } from "../scope.ts";
import type { Used } from "./amounts.ts";

/** Nothing done. */
export const noWork: Work = Object.freeze({ steps: 0, turns: 0, driven_ms: 0, paid: 0 });

/** Adds up. */
export function addWork(one: Work, other: Work): Work {
  return {
    steps: one.steps + other.steps,
    turns: one.turns + other.turns,
    driven_ms: one.driven_ms + other.driven_ms,
    paid: one.paid + other.paid,
  };
}

/** What later counts have beyond earlier ones of the same work. */
export function workSince(earlier: Work, later: Work): Work {
  return {
    steps: later.steps - earlier.steps,
    turns: later.turns - earlier.turns,
    driven_ms: later.driven_ms - earlier.driven_ms,
    paid: later.paid - earlier.paid,
  };
}

/** The work of a run and of its children; `messages` are the run's. */
export function workOf(messages: readonly MessageRecord[], own: Omit<Work, "steps">): Work {
  const steps = messages.filter(isModelAnswer).length;
  return messages.reduce((sum, { work = noWork }) => addWork(sum, work), { ...own, steps });
}

/** The work that a record tells of; of one from a time that counted none, the money alone. */
export function workIn({ work, cost }: { work?: Work; cost: number | null }): Work {
  return work ?? { ...noWork, paid: cost ?? 0 };
}

/** Work with the tokens that went into it. */
export function usedOf({ usage }: Pick<RunRecord, "usage">, { steps, turns, driven_ms, paid }: Work): Used {
  return { steps, turns, tokens: usage.total_tokens, duration_ms: driven_ms, cost: paid };
}
