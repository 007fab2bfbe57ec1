// Which runs are over. Without a schema, so that the client can ask it.

import type { RunStatus } from "./run.ts";

/** The statuses a run never leaves. */
export function isFinished(status: RunStatus): boolean {
  return status === "completed" || status === "stopped" || status === "limit" || status === "error";
}
