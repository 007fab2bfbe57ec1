// Notifies the child threads that work for a thread when the thread gets its first subscriber. Child threads relay their events only while
// their parent has subscribers, so that they do not wake a suspended parent for nothing.

import { peerCaller } from "#core/rpc/thread-peer.ts";
import { causeOf } from "#lib/log-port.ts";

import type { DeployedThread } from "../live/live-thread.ts";
import { openStepRows } from "../replay/open-step.ts";
import type { ParentFeed } from "./parent-feed.ts";

/** The parts of a thread that notify its child threads. */
interface WatchedThread extends DeployedThread {
  background: (work: Promise<unknown>) => void;
}

/** Notifies the child threads that this thread has a reader. Called when a reader has joined. */
export function notifyChildrenOfReader(context: WatchedThread): void {
  // With more than one reader, the children were notified before.
  if (context.live.broadcaster.readers === 1) notifyChildrenOfOpenCalls(context);
}

/** Handles the notification that the parent thread has a subscriber: this thread's children now relay their events to this thread too. */
export function receiveWatch(context: WatchedThread & { feed: ParentFeed | null }, parentId: string): void {
  if (context.feed?.setWatchedBy(parentId) === true) notifyChildrenOfOpenCalls(context);
}

function notifyChildrenOfOpenCalls({ live, deployment: { threads, log }, background }: WatchedThread): void {
  const { record, store } = live;
  if (record.active_run_id === null || (record.children ?? []).length === 0) return;
  for (const { awaits } of openStepRows(store, record)) {
    if (awaits?.kind !== "child" || awaits.delivered !== null) continue;
    background(
      threads(awaits.thread_id)
        .call("watch", peerCaller, record.id)
        .catch((cause: unknown) => {
          // Best effort: subscribers can read the child thread itself.
          log("warning", "child_not_notified", { thread_id: record.id, cause: causeOf(cause) });
        }),
    );
  }
}
