// The calls of a thread that wait for a client, as its events tell it.

import type { ThreadEvent } from "#contract/event.ts";
import type { PendingCall } from "#contract/thread.ts";

/** A call that waits, and the run that does. */
export type OpenCall = PendingCall & { run_id: string | null };

/** What waits after an event, if it waited so before it. The same list where the event says nothing about it. */
export function openCallsAfter(open: readonly OpenCall[], event: ThreadEvent): readonly OpenCall[] {
  const runId = event.run_id ?? null;
  switch (event.type) {
    case "snapshot":
      return event.thread.pending_tool_calls.map((call) => ({ ...call, run_id: event.thread.active_run_id }));
    case "awaiting_tool_execution":
      return event.tool_calls.map((call) => ({ ...call, run_id: runId }));
    case "tool_execution_end":
      return open.some(({ id }) => id === event.tool_call_id)
        ? open.filter(({ id }) => id !== event.tool_call_id)
        : open;
    case "run_end":
      return open.some(({ run_id }) => run_id === runId) ? open.filter(({ run_id }) => run_id !== runId) : open;
    default:
      return open;
  }
}
