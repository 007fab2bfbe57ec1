// How a followed thread stands, as its events tell it. Its record is told again when its title or tags change, not at each run.

import type { ThreadStatus, ThreadView } from "threadhold/client";

/** The status by what is known of its runs; by the record where nothing is. */
export function statusOf({ thread, runs, active_run_id: active }: ThreadView): ThreadStatus {
  if (active === null) {
    const last = Object.values(runs).at(-1);
    const failed = last === undefined ? thread?.status === "error" : last.status === "error";
    return failed ? "error" : "idle";
  }
  const run = runs[active];
  if (run === undefined) return thread?.status === "awaiting_tool_execution" ? thread.status : "running";
  return run.status === "awaiting_tool_execution" ? run.status : "running";
}
