// The snapshot that a new subscriber receives: the thread, its latest messages, the events of unfinished answers and calls, and the active
// run's reasoning and plan.

import { toMessage, toThread } from "#core/record/view.ts";

import { boundedRows } from "../bounded-page.ts";
import { openCallEvents } from "../replay/open-step.ts";
import { strategyEvents } from "../replay/strategy-events.ts";
import type { LiveThread } from "./live-thread.ts";

/** The maximum number of messages of a snapshot, and the maximum number of UTF-16 units of their JSON (`bytes`). */
const bounds = { limit: 200, bytes: 1024 * 1024 };

/** Takes the snapshot. Events of unfinished silent messages are in it only if `includeSilent` is true. */
export function threadSnapshot(live: LiveThread, includeSilent: boolean) {
  const { record, store } = live;
  const query = { branch: record.branch, order: "desc" as const, includeSilent: false };
  const messages = boundedRows(
    (beyond, limit) => store.messages({ ...query, limit, beyond }),
    (message) => message.position,
    { ...bounds, beyond: undefined },
  )
    .rows.filter((message) => message.status === "complete")
    .reverse()
    .map(toMessage);
  const inFlight = live.broadcaster.inFlight().filter(({ silent }) => includeSilent || silent !== true);
  // Events of open calls that were sent before the object was loaded are only in rows.
  const known = new Set(inFlight.map(({ seq }) => seq));
  const stored = [...openCallEvents(store, record), ...strategyEvents(store, record)];
  const open = stored.filter(({ seq }) => !known.has(seq));
  return {
    type: "snapshot" as const,
    seq: live.lastSeq,
    thread_id: record.id,
    at: live.clock.now(),
    thread: { ...toThread(record), last_seq: live.lastSeq },
    messages,
    partial: [...open, ...inFlight].sort((left, right) => left.seq - right.seq),
  };
}
