// Admits a run that no posted message starts: it raises the limit that the active run is suspended at, resumes a paused queue, continues the
// conversation with a new run, or goes on from an earlier message on a new branch.

import { refuse } from "#contract/error.ts";
import type { PostMessage } from "#contract/message-route.ts";
import type { PostRun } from "#contract/run-route.ts";
import { amountNames, remainingOf, noBounds } from "#core/limits/amounts.ts";
import type { LimitSuspension } from "#core/record/awaited.ts";
import type { SuspendedRun } from "#core/record/run-record.ts";
import { isSuspended } from "#core/record/run-state.ts";
import { toRun } from "#core/record/view.ts";
import type { Admission, Caller, RequestKey } from "#core/rpc/thread-rpc.ts";

import {
  admitMessage,
  agentOf,
  assertNotDeleted,
  branchRun,
  checkIdle,
  checkLimits,
  checkStructure,
  filesAfter,
  isEmpty,
  startRun,
} from "./admission.ts";
import type { AdmissionContext } from "./admission.ts";
import { branchMessage, checkMayBranch, isInput, pointAfter, pointBefore, rerunPoint } from "./branch-point.ts";
import type { Driver } from "./driver.ts";
import { storeUnderKey, repeatedAdmission } from "./idempotency.ts";
import { newRun } from "./write-run.ts";

/** Raises the limit of a suspended run, or resumes a paused queue, or else admits a new run. */
export async function admitRun(
  context: AdmissionContext,
  { caller, input, key }: { caller: Caller; input: PostRun; key: RequestKey | null },
): Promise<Admission> {
  const { deployment, live, driver, traces } = context;
  const { kind, from } = input;
  if (kind !== "continue" && from !== undefined) {
    return admitBranch(context, { caller, input: { ...input, kind, from }, key });
  }
  checkLimits(deployment, caller, input.limits);
  const first = repeatedAdmission(live, key);
  if (first !== null) return first;
  await deployment.faults.at("admission.run-agent");
  const agent = await agentOf(context);
  // Another request with the same key may have been admitted during the awaits.
  const meanwhile = repeatedAdmission(live, key);
  if (meanwhile !== null) return meanwhile;
  assertNotDeleted(driver);
  const limited = limitedRun(driver);
  if (limited !== null) {
    const after = live.lastSeq;
    raiseLimit(driver, limited, input);
    const run = toRun(live.store.run(limited.run.id) ?? limited.run);
    return storeUnderKey(context, key, { answer: { message: null, run, after, repeated: false } });
  }
  // In an agent with two models, they can begin a conversation without a message (decision 9: two models in a thread).
  if (agent.type !== "dual_ai" && isEmpty(live)) {
    throw refuse("conflict", "There is nothing to continue: the thread has no message yet. Send one.");
  }
  const { active_run_id, queue } = live.record;
  if (active_run_id === null && queue.paused && queue.run_ids.length > 0) {
    // A stop paused the queue. `continue` resumes it here.
    const after = live.lastSeq;
    live.change({ queue: { ...queue, paused: false } });
    driver.beginNext();
    const run = live.store.run(live.record.active_run_id ?? "");
    const answer = { message: null, run: run === null ? null : toRun(run), after, repeated: false };
    return storeUnderKey(context, key, { answer });
  }
  const after = live.lastSeq;
  const side = input.side === undefined ? {} : { side: input.side };
  const waiting = traces?.inputField(caller.trace) ?? {};
  const fresh = newRun(context, { kind: "continue", limits: input.limits ?? null, input: null, waiting });
  const run = startRun(context, { ...fresh, ...side });
  return storeUnderKey(context, key, { answer: { message: null, run: toRun(run), after, repeated: false } });
}

/** Admits a run on a new branch. With content it is a message that takes the place of another one, or follows it. */
async function admitBranch(
  context: AdmissionContext,
  { caller, input, key }: { caller: Caller; input: PostRun & BranchRequest; key: RequestKey | null },
): Promise<Admission> {
  const { deployment, live, driver, traces } = context;
  const { kind, from, content, attachments, metadata = {}, when = "reject", limits, structure, repeat } = input;
  const first = repeatedAdmission(live, key);
  if (first !== null) return first;
  checkMayBranch(live);
  if (content !== undefined) {
    const message = branchMessage(live, from, "from");
    const point = isInput(message) && message.role === "user" ? pointBefore(live, message) : pointAfter(live, message);
    const posted: PostMessage = {
      content,
      role: "user",
      silent: false,
      metadata,
      when,
      run: true,
      ...(attachments === undefined ? {} : { attachments }),
      ...(limits === undefined ? {} : { limits }),
      ...(structure === undefined ? {} : { structure }),
    };
    return admitMessage(context, { caller, input: posted, key, branch: { point, repeat } });
  }
  checkLimits(deployment, caller, limits);
  checkIdle(live, when, "interrupt");
  await deployment.faults.at("admission.branch-agent");
  const agent = await agentOf(context);
  // During the await the thread may have changed, and another request with the same key may have been admitted.
  const meanwhile = repeatedAdmission(live, key);
  if (meanwhile !== null) return meanwhile;
  assertNotDeleted(driver);
  checkIdle(live, when, "interrupt");
  if (structure !== undefined) checkStructure({ when: "queue", run: true }, structure, agent);
  const message = branchMessage(live, from, "from");
  const point = kind === "rerun" ? rerunPoint(live, message) : pointAfter(live, message);
  const after = live.lastSeq;
  const waiting = { ...(when === "interrupt" ? { when } : {}), ...traces?.inputField(caller.trace) };
  const fresh = branchRun(
    context,
    { kind, limits: limits ?? null, structure, input: null, waiting },
    { point, repeat },
  );
  const run = startRun(context, fresh);
  const answer = { message: null, run: toRun(run), after, repeated: false, files_kept: filesAfter(context, point) };
  return storeUnderKey(context, key, { answer });
}

/** The fields that a run on a new branch has. */
interface BranchRequest {
  kind: "rerun" | "branch";
  from: string;
}

/** A run that is suspended at a limit. */
interface LimitedRun {
  run: SuspendedRun;
  limit: LimitSuspension;
}

/** The active run if it is suspended at a limit; else null. */
function limitedRun({ activeRun: run }: Driver): LimitedRun | null {
  if (run === null || !isSuspended(run)) return null;
  const { limit } = run.progress.suspension;
  return limit === null ? null : { run, limit };
}

/**
 * Replaces the run's limits by the requested ones and resumes the run. Throws `conflict` if the limit of the suspension is not raised above
 * the used amount, and for a requested `side`.
 */
function raiseLimit(driver: Driver, { run, limit }: LimitedRun, { limits = {}, side }: PostRun): void {
  const { amount, allowed, used } = limit;
  if (side !== undefined) {
    throw refuse(
      "conflict",
      "A run that is suspended at a limit continues with the side whose turn it is. Leave `side` out.",
      {
        field: "side",
        run_id: run.id,
      },
    );
  }
  const requested = limits[amount];
  if (requested === undefined || !isMore(requested, limit)) {
    const message = `The run is suspended at its limit of ${amount}: ${used} of ${allowed} are used. Continue with a higher \`limits.${amount}\` than the used amount, or with null; or stop the run.`;
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
function isMore(requested: number | null, { amount, used }: LimitSuspension): boolean {
  const left = remainingOf({ ...noBounds, [amount]: requested }, { ...nothing, [amount]: used })[amount];
  return left === null || left > 0;
}

const nothing = { steps: 0, turns: 0, tokens: 0, duration_ms: 0, cost: 0 };
