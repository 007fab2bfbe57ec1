// Which runs are over. Without a schema, so that the client can ask it.

import type { RunStatus } from "./run.ts";

/** The statuses a run never leaves. */
export function isFinished(
  status: RunStatus,
): status is Exclude<RunStatus, "queued" | "running" | "awaiting_tool_execution"> {
  return status === "completed" || status === "stopped" || status === "limit" || status === "error";
}
