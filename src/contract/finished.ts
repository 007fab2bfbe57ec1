// Determines whether a run has ended. This file has no schema, so that the client can import it.

import type { RunStatus } from "./run.ts";

/** Whether the status is final. */
export function isFinished(
  status: RunStatus,
): status is Exclude<RunStatus, "queued" | "running" | "awaiting_tool_execution"> {
  return status === "completed" || status === "stopped" || status === "limit" || status === "error";
}
