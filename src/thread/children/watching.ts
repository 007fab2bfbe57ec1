// Tells the children that work for a thread that somebody has begun to watch it: they tell what they do only where it is
// seen, and so do not wake a parent that rests.

import { peerCaller } from "#core/thread-peer.ts";
import { causeOf } from "#lib/log-port.ts";

import type { ObjectContext } from "../object-context.ts";
import { openStepRows } from "../replay/open-step.ts";

/** Call it when a reader has joined. */
export function tellChildrenOfWatcher(context: ObjectContext): void {
  // Where others watch already the children know.
  if (context.live.broadcaster.readers === 1) tellChildrenOfOpenCalls(context);
}

/** Somebody watches the parent: what the children of this thread do is told up there as well. */
export function watchedFromAbove(context: ObjectContext, parentId: string): void {
  if (context.feed?.watchedBy(parentId) === true) tellChildrenOfOpenCalls(context);
}

function tellChildrenOfOpenCalls({ live, threads, background, log }: ObjectContext): void {
  const { record, store } = live;
  if (record.active_run_id === null || (record.children ?? []).length === 0) return;
  for (const { awaits } of openStepRows(store, record)) {
    if (awaits?.kind !== "child" || awaits.delivered !== null) continue;
    background(
      threads(awaits.thread_id)
        .call("watch", peerCaller, record.id)
        .catch((cause: unknown) => {
          // A courtesy: whoever watches may read the child itself.
          log("warning", "child_not_told", { thread_id: record.id, cause: causeOf(cause) });
        }),
    );
  }
}
