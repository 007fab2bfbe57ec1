// Cleans up after a run that cannot continue: retracts its unfinished answers, closes its open calls, logs the cause.

import { ThreadholdError } from "#contract/error.ts";
import type { RunEnd } from "#core/ports/strategy-port.ts";
import type { ActiveRun } from "#core/record/run-record.ts";
import { causeOf } from "#lib/log-port.ts";

import type { DeployedThread } from "../live/live-thread.ts";
import { closeOpenCalls } from "./recovery.ts";

/** The end of a run that crashed again and again without progress. */
export const givenUp: RunEnd = {
  status: "error",
  reason: "recovery_failed",
  error: {
    code: "recovery_failed",
    message: "The run was interrupted again and again without getting further.",
  },
};

/** Retracts the run's unfinished answers, so that no reader keeps text that the transcript lacks, and closes its open calls. */
export function retractAnswers(context: DeployedThread, run: ActiveRun): void {
  context.live.emit([{ type: "message_retracted", run_id: run.id, reason: "recovery" }]);
  closeOpenCalls(context, run);
}

/** The error of a run that ended because of an exception. Only a refusal's own message is shown to users. */
export function errorOfRun(thrown: unknown): NonNullable<RunEnd["error"]> {
  if (thrown instanceof ThreadholdError) return { code: thrown.code, message: thrown.message };
  return { code: "internal", message: "The run failed inside the server; the thread's log has the cause." };
}

/** Cleans up after an error that ended the run, and logs its cause. Returns the end to record. */
export function recordFailure(context: DeployedThread, run: ActiveRun, thrown: unknown): RunEnd {
  retractAnswers(context, run);
  const error = errorOfRun(thrown);
  if (!(thrown instanceof ThreadholdError)) logFailure(context, run, thrown);
  return { status: "error", reason: error.code, error };
}

function logFailure({ live, deployment: { clock, log } }: DeployedThread, run: ActiveRun, thrown: unknown): void {
  const cause = causeOf(thrown);
  log("error", "run_failed", { thread_id: live.record.id, run_id: run.id, cause });
  live.store.insertLog({
    id: live.uuids.next(),
    type: "error",
    run_id: run.id,
    parent_id: null,
    depth: 0,
    created_at: clock.now(),
    data: { what: "run_failed", cause },
    events: [],
  });
}

/** Logs that the end of a run could not be stored. The alarm resumes the run. */
export function logUnstoredEnd({ live, deployment: { log } }: DeployedThread, run: ActiveRun, thrown: unknown): void {
  log("error", "run_end_failed", { thread_id: live.record.id, run_id: run.id, cause: causeOf(thrown) });
}
