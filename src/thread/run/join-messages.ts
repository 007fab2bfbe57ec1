// Messages that join the active run (decision 28: queue, steer, interrupt). They wait at the head of the queue until the loop lets them
// join. If the run ends before that, they stay in the queue and start runs.

import type { EventDraft } from "#contract/event.ts";
import type { Steering } from "#core/ports/steering.ts";
import type { ExecutedRun, JoinedRun } from "#core/record/run-record.ts";

import type { LiveThread } from "../live/live-thread.ts";
import { countSteering } from "./write-run.ts";

/** The maximum number of UTF-16 units of JSON of the messages that join at once. Each of them is in memory several times. */
const joinBytes = 6 * 1024 * 1024;

/** The steering port of a run. */
export function steeringOf(live: LiveThread, run: ExecutedRun): Steering {
  return {
    get waiting() {
      return countSteering(live.record) > 0;
    },
    join: () => joinRun(live, run),
  };
}

/**
 * Appends the waiting messages after the run's last message, and stores in their rows which run they joined. Messages beyond the size limit
 * join before a later model call.
 */
function joinRun(live: LiveThread, { id: joined }: ExecutedRun): void {
  const joining = fitting(live);
  const { queue } = live.record;
  const run_ids = queue.run_ids.slice(joining.length);
  const steering = countSteering(live.record) - joining.length;
  const joinedIds = new Set<string>();
  live.transaction(() => {
    let before: EventDraft[] = [{ type: "queue_changed", queued: run_ids }];
    for (const id of joining) {
      const input = live.store.run(id);
      if (input?.status !== "queued" || input.queued.message === null) continue;
      const message = { ...live.placed(input.queued.message), run_id: joined, steered: true as const };
      live.insertWhole(message, before);
      // Only the row of the first message stores the event that the queue changed.
      before = [];
      const absorbed: JoinedRun = { ...input, status: "completed", queued: null, joined };
      live.store.updateRun(absorbed);
      joinedIds.add(message.id);
    }
    live.stage(before);
    live.change({ queue: { ...queue, run_ids, steering } });
    live.save();
  });
  // Removes the events of these messages from memory, because rows contain them now.
  live.broadcaster.releaseStored({ step: 0, depth: 0, under: undefined, messages: joinedIds });
}

/** The first messages that wait to join, as many as fit, and at least one. */
function fitting({ record, store }: LiveThread): string[] {
  const steering = record.queue.run_ids.slice(0, countSteering(record));
  let size = 0;
  const exceeding = steering.findIndex((id, at) => {
    size += JSON.stringify(store.run(id)?.queued ?? null).length;
    return at > 0 && size > joinBytes;
  });
  return exceeding === -1 ? steering : steering.slice(0, exceeding);
}
