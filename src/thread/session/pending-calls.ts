// The calls that a session waits with, as its thread shows them. Arguments that the thread's row had no room for are in the
// message that asks for the call.

import type { SessionToolCall } from "#contract/session/session-message.ts";
import { toPendingCall } from "#contract/session/session-transcript.ts";
import type { PendingCall } from "#contract/thread.ts";
import { callsOf } from "#core/run-state.ts";
import type { EventSource } from "#core/stored-event.ts";

import type { LiveThread } from "../live-thread.ts";
import { eventSource } from "../reader/event-source.ts";

/** In call order, a limit that the run rests at behind them; none at rest. */
export function pendingSessionCalls({ store, record }: LiveThread): SessionToolCall[] {
  const source = eventSource(store, record, []);
  return (record.pending ?? []).map((call) => toPendingCall(withArguments(call, source)));
}

/** A child thread's are in that thread. */
function withArguments(call: PendingCall, source: EventSource): PendingCall {
  const { id, message_id, thread_id } = call;
  if (call.arguments !== undefined || message_id === undefined || thread_id !== undefined) return call;
  const asking = source.callMessage(id, message_id);
  const found = asking === undefined ? undefined : callsOf(asking).find((one) => one.id === id);
  return found === undefined ? call : { ...call, arguments: found.arguments };
}
