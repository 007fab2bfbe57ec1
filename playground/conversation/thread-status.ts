// The status of a subscribed thread, derived from its events. The thread's record is sent again when its title or tags
// change, not at each run.

import type { ThreadStatus, ThreadView } from "threadhold/client";

/** The status according to its runs; according to its record if no run is known. */
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
