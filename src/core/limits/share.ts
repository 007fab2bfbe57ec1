// The share of a parent's bounds that a child thread may use. Concurrent calls of a step divide the remaining amount. The share of
// a child that is still at work stays reserved, so that all children together stay within the bounds.

import type { Limits } from "#contract/run.ts";

import type { MessageRecord, RunRecord } from "../record.ts";
import { callsOf } from "../run-state.ts";
import { isInScope } from "../scope.ts";
import type { CallContext } from "../tools/call-slot.ts";
import { amountNames, eachAmount, noUse, together } from "./amounts.ts";
import type { AmountName, Bounds, Used } from "./amounts.ts";
import { usedOf, workIn } from "./used.ts";

/** An equal share of what is left; null where that is nothing for somebody. Only money can be split without end. */
export function shareOf(left: Bounds, shares: number): Bounds | null {
  const share = eachAmount((name) => shareOfOne(name, left[name], shares));
  return Object.values(share).some((amount) => amount !== null && amount <= 0) ? null : share;
}

function shareOfOne(name: AmountName, left: number | null, shares: number): number | null {
  if (left === null) return null;
  return name === "cost" ? left / shares : Math.floor(left / shares);
}

/** How many calls of a call's step run a loop of their own, have no result and were given nothing yet; this one included. */
export function sharersOf(callId: string, { ports, plan }: Pick<CallContext, "ports" | "plan">): number {
  const { run, scope, journal } = ports;
  const own = journal.messages.filter((message) => isInScope(scope, message));
  const calls = own.map(callsOf).findLast((step) => step.some(({ id }) => id === callId)) ?? [];
  const waiting = calls.filter(({ id, name }) => {
    const row = own.find((message) => message.tool_call_id === id);
    const given = row?.awaits?.kind === "child" ? run.grants?.[row.awaits.thread_id] : undefined;
    const runner = plan.tools.get(name);
    // A call that somebody outside answers uses nothing of it.
    return runner?.nested !== undefined && !runner.remote && row?.status !== "complete" && given === undefined;
  });
  return Math.max(1, waiting.length);
}

/** A share as the child's run is asked to keep to it. What the caller lifted for the parent is lifted for the child. */
export function asLimits(share: Bounds, asked: Limits | null): Limits {
  const limits: Limits = {};
  for (const name of amountNames) {
    if (share[name] !== null || asked?.[name] === null) limits[name] = share[name];
  }
  return limits;
}

/**
 * What children came to use that is not counted yet: of one that told, what it told; of one at work, all it was given, since
 * it may come to use that.
 */
export function promised({ grants = {} }: Pick<RunRecord, "grants">, messages: readonly MessageRecord[]): Used {
  return messages.reduce((sum, { status, awaits }) => {
    if (status !== "started" || awaits?.kind !== "child") return sum;
    const { delivered, thread_id } = awaits;
    if (delivered !== null) return together(sum, usedOf(delivered, workIn(delivered)));
    const grant = grants[thread_id];
    return grant === undefined
      ? sum
      : together(
          sum,
          eachAmount((name) => grant[name] ?? 0),
        );
  }, noUse);
}
