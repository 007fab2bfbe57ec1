// Handles what child threads send to their parent: results and events. A thread can only affect the call that waits for it.

import type { EventDraft } from "#contract/event.ts";
import type { JsonObject } from "#contract/json.ts";
import type { AwaitedChildResult } from "#core/record/awaited.ts";
import type { MessageRecord } from "#core/record/record.ts";
import { childUsageFields } from "#core/record/run-state.ts";
import type { Delivery, Relay } from "#core/rpc/thread-peer.ts";

import type { LiveThread } from "../live/live-thread.ts";
import { exceedsKnownUsage, addLateUsage } from "./child-cost.ts";
import type { CostContext } from "./child-cost.ts";
import type { ParentFeed } from "./parent-feed.ts";

/**
 * Stores a result in the row of its call and resumes the run. If the call is settled or has a result already, only cost that is not known
 * yet is added. A repeated delivery changes nothing.
 */
export function receiveDelivery(context: CostContext, delivery: Delivery): void {
  const { live, driver } = context;
  const { from, message_id, ...delivered } = delivery;
  const row = findWaitingCall(live, { from, message_id });
  if (row === null) {
    const settled = live.store.message(message_id);
    if (settled?.child === from) addLateUsage(context, { call: settled, reported: delivered });
    return;
  }
  const known = row.awaits.delivered;
  if (known !== null && !exceedsKnownUsage(known, delivered)) return;
  const answered = {
    ...row,
    awaits: { ...row.awaits, delivered: { ...(known ?? delivered), ...childUsageFields(delivered) } },
  };
  live.updateMessage(answered);
  driver.resumeNow(row.run_id);
}

/** Sends a child's events to the subscribers of this thread and, if this thread is a child itself, to its parent. */
export function forwardEvents(
  { live, feed }: { live: LiveThread; feed: ParentFeed | null },
  { from, message_id, events }: Relay,
): { watched: boolean } {
  const { broadcaster } = live;
  const watched = broadcaster.readers > 0 || feed?.mayBeWatched === true;
  const row = watched ? findWaitingCall(live, { from, message_id }) : null;
  if (row === null) return { watched: false };
  for (const event of events) broadcaster.send(broadcaster.number(subagentEvent(row, from, event)));
  broadcaster.becomeIdle();
  return { watched: true };
}

/** The row of the call that this child works on; null if the call does not wait for it any more. */
export function findWaitingCall(
  { store }: LiveThread,
  { from, message_id }: Pick<Delivery, "from" | "message_id">,
): (MessageRecord & { awaits: AwaitedChildResult }) | null {
  const row = store.message(message_id);
  if (row?.status !== "started" || row.awaits?.kind !== "child" || row.awaits.thread_id !== from) return null;
  return { ...row, awaits: row.awaits };
}

function subagentEvent(call: MessageRecord, from: string, event: JsonObject): EventDraft {
  const { id, run_id, step, side, depth, tool_call_id } = call;
  return {
    type: "subagent_event",
    message_id: id,
    depth,
    ...(event["silent"] === true ? { silent: true } : {}),
    ...(run_id === null ? {} : { run_id }),
    ...(step === null ? {} : { step }),
    ...(side === null ? {} : { side }),
    subagent_id: from,
    parent_tool_call_id: tool_call_id ?? "",
    event,
  };
}
