// The share of a parent's bounds that a child thread may use. Concurrent calls of a step divide the remaining amount. The share of a
// child that is still running stays reserved, so that all children together stay within the bounds.

import type { Limits } from "#contract/run.ts";

import type { MessageRecord } from "../record/record.ts";
import type { RunProgress } from "../record/run-record.ts";
import { callsOf } from "../record/run-state.ts";
import { isInScope } from "../record/scope.ts";
import type { CallContext } from "../tools/call-slot.ts";
import { amountNames, eachAmount, zeroUse, addUsed } from "./amounts.ts";
import type { AmountName, Bounds, Used } from "./amounts.ts";
import { usedOf, workIn } from "./used.ts";

/** One of `shares` equal parts of the remaining amounts; null if a part would be zero. Only cost is divided into fractions. */
export function shareOf(remaining: Bounds, shares: number): Bounds | null {
  const share = eachAmount((name) => shareOfOne(name, remaining[name], shares));
  return Object.values(share).some((amount) => amount !== null && amount <= 0) ? null : share;
}

function shareOfOne(name: AmountName, remaining: number | null, shares: number): number | null {
  if (remaining === null) return null;
  return name === "cost" ? remaining / shares : Math.floor(remaining / shares);
}

/** Counts the calls of a step that run a loop of their own and have neither a result nor a share yet, this call included. */
export function countSharers(callId: string, { ports, plan }: Pick<CallContext, "ports" | "plan">): number {
  const { run, scope, journal } = ports;
  const ownMessages = journal.messages.filter((message) => isInScope(scope, message));
  const calls = ownMessages.map(callsOf).findLast((step) => step.some(({ id }) => id === callId)) ?? [];
  const waiting = calls.filter(({ id, name }) => {
    const row = ownMessages.find((message) => message.tool_call_id === id);
    const given = row?.awaits?.kind === "child" ? run.progress.grants?.[row.awaits.thread_id] : undefined;
    const runner = plan.tools.get(name);
    // A call that a client or a person answers uses nothing of the budget.
    return runner?.nested !== undefined && !runner.remote && row?.status !== "complete" && given === undefined;
  });
  return Math.max(1, waiting.length);
}

/**
 * The share as limits of the child's run. If the caller removed a limit of the parent's run and the share does not bound this amount, the
 * limit is removed from the child's run too.
 */
export function limitsOfShare(share: Bounds, asked: Limits | null): Limits {
  const limits: Limits = {};
  for (const name of amountNames) {
    if (share[name] !== null || asked?.[name] === null) limits[name] = share[name];
  }
  return limits;
}

/**
 * What children use of the budget and the parent has not counted yet: the reported usage of a child that has ended, and the whole
 * share of a child that is still running, since it may use all of it.
 */
export function reservedForChildren(
  { grants = {} }: Pick<RunProgress, "grants">,
  messages: readonly MessageRecord[],
): Used {
  return messages.reduce((sum, { status, awaits }) => {
    if (status !== "started" || awaits?.kind !== "child") return sum;
    const { delivered, thread_id } = awaits;
    if (delivered !== null) return addUsed(sum, usedOf(delivered, workIn(delivered)));
    const grant = grants[thread_id];
    return grant === undefined
      ? sum
      : addUsed(
          sum,
          eachAmount((name) => grant[name] ?? 0),
        );
  }, zeroUse);
}
