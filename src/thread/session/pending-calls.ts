// The calls that a session waits with, from the rows of the step that rests: the thread's row has no arguments.

import type { SessionToolCall } from "#contract/session/session-message.ts";
import { toPendingCall } from "#contract/session/session-transcript.ts";

import type { LiveThread } from "../live-thread.ts";
import { openStepRows } from "../reader/open-calls.ts";
import { awaitedCalls } from "../run/run-rest.ts";

/** In call order, behind them the limit that a run rests at; none at rest. */
export function pendingSessionCalls({ store, record }: LiveThread): SessionToolCall[] {
  const calls = awaitedCalls(openStepRows(store, record).reverse());
  const limits = (record.pending ?? []).filter(({ kind }) => kind === "limit");
  return [...calls, ...limits].map((call) => toPendingCall(call));
}
