// What may be changed of a thread as a whole: its title and the like, its run, its existence.

import { refuse, webSocketCloseCode } from "#contract/error.ts";
import type { PatchThread } from "#contract/request.ts";
import type { Thread, ThreadStatus } from "#contract/thread.ts";
import { toThread } from "#core/view.ts";

import { removeChildren, tellParentOfDeletion } from "../children/removal.ts";
import type { ObjectContext } from "../object-context.ts";
import type { OpenThread } from "../open-thread.ts";
import { dropInput } from "../run/drop-input.ts";

/** The thread as the wire shows it now. */
export function view({ live }: ObjectContext): Thread {
  return { ...toThread(live.record), last_seq: live.lastSeq };
}

/** Changes title, tags, metadata or agent. */
export async function patchThread({ context, driver }: OpenThread, change: PatchThread): Promise<Thread> {
  const { live, clock, definitions } = context;
  const { agent_id, title, tags, metadata } = change;
  if (agent_id !== undefined) {
    await definitions.agent(agent_id);
    if (live.record.active_run_id !== null && agent_id !== live.record.agent_id) {
      throw refuse("conflict", "The agent cannot change while a run is active.");
    }
  }
  live.change({
    ...(agent_id === undefined ? {} : { agent_id }),
    ...(title === undefined ? {} : { title }),
    ...(tags === undefined ? {} : { tags }),
    ...(metadata === undefined ? {} : { metadata }),
    updated_at: clock.now(),
  });
  driver.outbox.mark();
  live.tell([{ type: "thread_updated", thread: view(context) }], ([event]) => {
    // The event before this one shows nothing that this one does not: repeated changes take no further storage.
    if (live.record.updated_seq !== undefined) live.store.deleteEvent(live.record.updated_seq);
    if (event !== undefined) live.change({ updated_seq: event.seq });
  });
  await driver.outbox.flush();
  return view(context);
}

/** Stops the active run, or takes a queued one out of the queue. Answers once that is durable; stopping twice is fine. */
export function stopThread({ context, driver }: OpenThread, runId: string | null): { status: ThreadStatus } {
  const { live } = context;
  if (!driver.stop(runId) && runId !== null) {
    const run = live.store.run(runId);
    if (run === null) throw refuse("run_not_found", `There is no run "${runId}" in this thread.`);
    if (live.record.queue.includes(runId)) dropInput(context, run);
  }
  return { status: live.record.status };
}

/**
 * Deletes the thread: its children first, then what it has in the bucket and its line in the catalog, then
 * every row and the alarm. What fails leaves a
 * thread that can be deleted again. A parent that waits for this thread is told; `byParent` says that it is the one that
 * deletes.
 */
export async function removeThread(open: OpenThread, byParent: boolean): Promise<void> {
  const { context, driver, store } = open;
  const { live, catalog, clock } = context;
  const { id, created_at, imported_at = created_at } = live.record;
  driver.close(true);
  driver.stop(null);
  try {
    await removeChildren(context);
    if (!byParent) await tellParentOfDeletion(context, driver);
    await context.files.destroy(() => catalog.remove({ threadId: id, createdAt: imported_at, now: clock.now() }));
    // A call that was on its way may have started another child meanwhile.
    await removeChildren(context);
    await driver.outbox.settle(driver.activeRun);
  } catch (thrown) {
    driver.close(false);
    throw thrown;
  }
  live.broadcaster.closeAll(webSocketCloseCode("thread_not_found"), "The thread was deleted.");
  driver.abandon();
  await store.destroy();
  context.ownerFeed.deleted(live.record);
}
