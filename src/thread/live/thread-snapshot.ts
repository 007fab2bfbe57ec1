// The snapshot that a new subscriber receives: the thread, its latest messages, the events of unfinished answers and calls, and the active
// run's reasoning and plan.

import { toThread } from "#core/record/view.ts";

import { openCallEvents } from "../replay/open-step.ts";
import { shownMessages } from "../replay/shown-messages.ts";
import { strategyEvents } from "../replay/strategy-events.ts";
import type { LiveThread } from "./live-thread.ts";

/** Takes the snapshot. Events of unfinished silent messages are in it only if `includeSilent` is true. */
export function threadSnapshot(live: LiveThread, includeSilent: boolean) {
  const { record, store } = live;
  const { messages } = shownMessages(store, { branch: record.branch, after: "" });
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
