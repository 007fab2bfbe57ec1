// Reads the reasoning and the current plan of the active run from the rows of its steps, for a reader that joins during the run: the steps'
// events are not in memory any more. Only the end of the run is read, within bounds.

import type { PlainEvent } from "#contract/event.ts";
import type { ThreadStore } from "#core/ports/thread-store.ts";
import type { LogRecord, ThreadRecord } from "#core/record/record.ts";
import { fromStored } from "#core/record/stored-event.ts";
import { hasOnlyLoops } from "#flow/strategy/conversation-strategy.ts";

import { boundedRows } from "../bounded-page.ts";
import { eventSource } from "./replay.ts";

/** Maximal number of log rows that are read, and UTF-16 units of their JSON. */
const bounds = { limit: 200, bytes: 1024 * 1024 };

/**
 * The active run's events `reasoning`, its last `plan`, and its last `step_end`, in order. None if the run has neither reasoning nor a plan.
 */
export function strategyEvents(store: ThreadStore, thread: ThreadRecord): PlainEvent[] {
  const events = stepRows(store, thread).flatMap((row) => row.events);
  const reasoning = events.filter(({ type }) => type === "reasoning");
  const [plan, end] = ["plan", "step_end"].map((wanted) => newest(events.filter(({ type }) => type === wanted)));
  if (reasoning.length === 0 && plan === undefined) return [];
  const source = eventSource(store, thread, []);
  return [...reasoning, plan, end]
    .flatMap((event) => (event === undefined ? [] : (fromStored(event, source) ?? [])))
    .sort((left, right) => left.seq - right.seq);
}

/**
 * The log rows of the active run, newest first. None if the newest row shows that the run's strategy cannot have caused such events: then one
 * row is read.
 */
function stepRows(store: ThreadStore, { active_run_id: run }: ThreadRecord): LogRecord[] {
  const [last] = run === null ? [] : store.logs({ order: "desc", limit: 1 });
  if (run === null || hasOnlyLoops(last?.data["session"])) return [];
  let isOver = false;
  const { rows } = boundedRows(
    (beyond, limit) => {
      if (isOver) return [];
      const next = store.logs({ order: "desc", limit, beyond });
      const end = next.findIndex(({ id, data }) => id <= run || hasOnlyLoops(data["session"]));
      isOver = end !== -1;
      return isOver ? next.slice(0, end) : next;
    },
    (row) => row.id,
    { ...bounds, beyond: undefined },
  );
  return rows.filter(({ run_id }) => run_id === run);
}

function newest<Event extends { seq: number }>(events: readonly Event[]): Event | undefined {
  return events.reduce<Event | undefined>(
    (last, event) => (last !== undefined && last.seq > event.seq ? last : event),
    undefined,
  );
}
