// What a child comes to cost after its call was settled: of a call that gave up waiting, or of a child whose own children
// told late. The call's row, its run and the thread count it, and nothing else changes. A child always tells its whole
// cost, so that what is told twice is counted once.

import { addCost, usageSince } from "#contract/usage.ts";
import type { Usage } from "#contract/usage.ts";
import type { Work } from "#core/awaited.ts";
import { addWork, workIn, workSince } from "#core/limits/used.ts";
import type { MessageRecord, RunRecord } from "#core/record.ts";
import { childUsageFields, addChildUsage } from "#core/run-state.ts";

import { firstHeartbeatMs } from "../alarm.ts";
import { markForCatalog } from "../background/catalog-task.ts";
import type { ObjectContext } from "../object-context.ts";
import type { Driver } from "../run/driver.ts";
import { enqueueMessage } from "./outbound-messages.ts";

/** What something used, from its beginning. */
export interface Spent {
  usage: Usage;
  cost: number | null;
  work?: Work;
}

/** Whether a child tells more than is known. */
export function isMore(known: Spent | null, told: Spent): boolean {
  if (known === null) return true;
  return told.usage.total_tokens > known.usage.total_tokens || (told.cost ?? 0) > (known.cost ?? 0);
}

/** Counts it for a settled call of that child. */
export function takeCost(context: ObjectContext, driver: Driver, { call, told }: { call: MessageRecord; told: Spent }) {
  const { live, wakeups } = context;
  const known = call.usage === null ? null : { usage: call.usage, cost: call.cost, work: workIn(call) };
  if (!isMore(known, told)) return;
  const paid = { ...call, ...childUsageFields(told) };
  const run = runOf(context, driver, call.run_id);
  live.transaction(() => {
    live.updateMessage(paid);
    if (run !== null) spendOnRun(context, { run, more: since(known, told) });
  });
  // The catalog, and a parent above, are told by whoever wakes up next, if not now.
  wakeups.notAfter(firstHeartbeatMs);
  context.background(wakeups.runAndSleep());
}

function spendOnRun({ live }: Pick<ObjectContext, "live">, { run, more }: { run: RunRecord; more: Spent }): void {
  addChildUsage(run, more);
  // What a run that is not over did is counted from its rows.
  if (run.work !== undefined) run.work = addWork(run.work, workIn(more));
  live.store.updateRun(run);
  // A run that is not over is counted into the thread, and told of, with its end.
  if (live.record.active_run_id === run.id) return;
  const { usage, cost } = live.record;
  const totals = { usage, cost };
  addChildUsage(totals, more);
  live.change({ ...totals, work: addWork(workIn(live.record), workIn(more)) });
  markForCatalog(live);
  if (run.parent_run_id !== null) enqueueMessage(live, { type: "result", run_id: run.id, tool_executions: 0 });
  live.save();
}

function runOf({ live }: ObjectContext, driver: Driver, id: string | null): RunRecord | null {
  const active = driver.activeRun;
  if (id === null) return null;
  return active?.id === id ? active : live.store.run(id);
}

function since(known: Spent | null, told: Spent): Spent {
  if (known === null) return told;
  return {
    usage: usageSince(known.usage, told.usage),
    cost: known.cost === null ? null : addCost(told.cost, -known.cost),
    work: workSince(workIn(known), workIn(told)),
  };
}
