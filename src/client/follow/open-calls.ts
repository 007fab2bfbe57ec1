// Derives a thread's pending tool calls from its events: calls that wait for a client's result, an approval or a higher limit, and
// questions of running calls.

import type { ThreadEvent } from "#contract/event.ts";
import type { PendingCall } from "#contract/thread.ts";

/** A pending call and the run that waits for it. */
export type OpenCall = PendingCall & { run_id: string | null };

/** The pending calls after an event, from those before it. Returns the same list if the event does not change it. */
export function openCallsAfter(open: readonly OpenCall[], event: ThreadEvent): readonly OpenCall[] {
  const runId = event.run_id ?? null;
  switch (event.type) {
    case "snapshot":
      return event.thread.pending_tool_calls.map((call) => ({ ...call, run_id: event.thread.active_run_id }));
    case "awaiting_tool_execution":
    // While a tool asks a question its run is executed, not suspended. So the questions are the only pending calls.
    case "questions_changed":
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
