// Messages that are to join the run that is active (decision 28): rows of inputs at the head of the queue until the loop takes
// them in. Those that come too late for it stay where they are, and begin runs of their own.

import type { Steering } from "#core/ports/steering.ts";
import type { ExecutedRun, JoinedRun } from "#core/record.ts";

import type { ObjectContext } from "../object-context.ts";
import { wholeMessage } from "../whole-message.ts";
import { countSteering } from "./run-start.ts";

/** UTF-16 units of JSON that join at once, of many large messages: each is in memory several times as it does. */
const joinBytes = 6 * 1024 * 1024;

/** What waits to join a run. */
export function steeringOf(context: ObjectContext, run: ExecutedRun): Steering {
  return {
    get waiting() {
      return countSteering(context.live.record) > 0;
    },
    join: () => joinRun(context, run),
  };
}

/**
 * All of them take their places behind the run's last message, in order; their rows say which run they joined. What is too
 * much for once joins before the model call after the next.
 */
function joinRun({ live }: ObjectContext, { id: joined }: ExecutedRun): void {
  const joining = fitting(live);
  const { queue } = live.record;
  const run_ids = queue.run_ids.slice(joining.length);
  const steering = countSteering(live.record) - joining.length;
  const joinedIds = new Set<string>();
  live.transaction(() => {
    let events = live.stage([{ type: "queue_changed", queued: run_ids }]);
    for (const id of joining) {
      const input = live.store.run(id);
      if (input?.status !== "queued" || input.queued.message === null) continue;
      const message = { ...live.placed(input.queued.message), run_id: joined, steered: true as const };
      live.insertMessage({ ...message, events: [...events, ...live.stage(wholeMessage(message))] });
      // The first message's row stores the change of the queue.
      events = [];
      const absorbed: JoinedRun = { ...input, status: "completed", queued: null, joined };
      live.store.updateRun(absorbed);
      joinedIds.add(message.id);
    }
    live.change({ queue: { ...queue, run_ids, steering } });
    live.save();
  });
  // Rows hold them: a run that is spoken to again and again keeps none of it in memory.
  live.broadcaster.releaseStored({ step: 0, depth: 0, under: undefined, messages: joinedIds });
}

/** The first of those that wait to join, as many as fit; at least one. */
function fitting({ record, store }: ObjectContext["live"]): string[] {
  const steering = record.queue.run_ids.slice(0, countSteering(record));
  let size = 0;
  const tooMuch = steering.findIndex((id, at) => {
    size += JSON.stringify(store.run(id)?.queued ?? null).length;
    return at > 0 && size > joinBytes;
  });
  return tooMuch === -1 ? steering : steering.slice(0, tooMuch);
}
