// Adds the cost of a child thread that is reported after the child's call was settled, because the call timed out or the child's own
// children reported late. The cost is added to the call's row, its run and the thread. A child always reports its total cost, so a repeated
// report is counted once.

import { addCost, usageSince } from "#contract/usage.ts";
import type { Usage } from "#contract/usage.ts";
import { addWork, workIn, workSince } from "#core/limits/used.ts";
import type { Work } from "#core/record/awaited.ts";
import type { MessageRecord } from "#core/record/record.ts";
import type { RunRecord } from "#core/record/run-record.ts";
import { childUsageFields, addChildUsage } from "#core/record/run-state.ts";

import { firstHeartbeatMs } from "../alarm.ts";
import type { LiveThread } from "../live/live-thread.ts";
import type { ActiveRunPort, ThreadWakeups } from "../thread-ports.ts";
import { enqueueMessage } from "./outbound-messages.ts";

/** The total usage of a child thread. */
export interface Spent {
  usage: Usage;
  cost: number | null;
  work?: Work;
}

/** Whether a child reports more usage than the call's row has. */
export function exceedsKnownUsage(known: Spent | null, reported: Spent): boolean {
  if (known === null) return true;
  return reported.usage.total_tokens > known.usage.total_tokens || (reported.cost ?? 0) > (known.cost ?? 0);
}

/** The parts of a thread that a child's cost changes. */
export interface CostContext {
  live: LiveThread;
  driver: ActiveRunPort;
  wakeups: ThreadWakeups;
  background: (work: Promise<unknown>) => void;
}

/** Adds the usage that a child reported to its settled call. */
export function addLateUsage(
  { live, driver, wakeups, background }: CostContext,
  { call, reported }: { call: MessageRecord; reported: Spent },
) {
  const known = call.usage === null ? null : { usage: call.usage, cost: call.cost, work: workIn(call) };
  if (!exceedsKnownUsage(known, reported)) return;
  const paid = { ...call, ...childUsageFields(reported) };
  const run = runOf(live, driver, call.run_id);
  live.transaction(() => {
    live.updateMessage(paid);
    if (run !== null) spendOnRun(live, { run, more: since(known, reported) });
  });
  // The catalog (the deployment's index of all threads) and this thread's own parent are notified in the background, at the latest by the
  // next alarm.
  wakeups.notAfter(firstHeartbeatMs);
  background(wakeups.runAndSleep());
}

function spendOnRun(live: LiveThread, { run, more }: { run: RunRecord; more: Spent }): void {
  addChildUsage(run, more);
  // The `work` of an active run is computed from its rows at its end.
  if (run.work !== undefined) run.work = addWork(run.work, workIn(more));
  live.store.updateRun(run);
  // The end of an active run adds its usage to the thread and notifies the catalog and the parent.
  if (live.record.active_run_id === run.id) return;
  const { usage, cost } = live.record;
  const totals = { usage, cost };
  addChildUsage(totals, more);
  live.change({ ...totals, work: addWork(workIn(live.record), workIn(more)) });
  live.markForCatalog();
  if (run.parent_run_id !== null) enqueueMessage(live, { type: "result", run_id: run.id, tool_executions: 0 });
  live.save();
}

function runOf(live: LiveThread, driver: ActiveRunPort, id: string | null): RunRecord | null {
  const active = driver.activeRun;
  if (id === null) return null;
  return active?.id === id ? active : live.store.run(id);
}

function since(known: Spent | null, reported: Spent): Spent {
  if (known === null) return reported;
  return {
    usage: usageSince(known.usage, reported.usage),
    cost: known.cost === null ? null : addCost(reported.cost, -known.cost),
    work: workSince(workIn(known), workIn(reported)),
  };
}
