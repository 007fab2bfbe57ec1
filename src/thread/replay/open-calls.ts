// The calls of the step that is not over, read from rows: what a thread that was evicted knows of them when somebody joins.
// Only the end of the run is read, and no more of it than may be in memory.

import type { PlainEvent } from "#contract/event.ts";
import type { ThreadStore } from "#core/ports/thread-store.ts";
import type { MessageRecord, StoredEvent, ThreadRecord } from "#core/record.ts";
import { isAnswer, isInScope, mainScope } from "#core/scope.ts";
import { fromStored } from "#core/stored-event.ts";

import { boundedRows } from "../method/bounded-page.ts";
import { eventSource } from "./event-source.ts";

/** Messages of one step, and UTF-16 units of JSON of them, that are looked at. */
const bounds = { limit: 1000, bytes: 4 * 1024 * 1024 };

/** Tool messages and answers from the run's last own answer on, newest first; none where no call is open. */
export function openStepRows(store: ThreadStore, thread: ThreadRecord): MessageRecord[] {
  const run = thread.active_run_id === null ? null : store.run(thread.active_run_id);
  if (run === null) return [];
  let over = false;
  const { rows } = boundedRows(
    (beyond, limit) => {
      if (over) return [];
      const next = store.messages({ branch: thread.branch, order: "desc", includeSilent: true, limit, beyond });
      const end = next.findIndex((row) => row.position <= run.after_position || isOwnAnswer(row));
      over = end !== -1;
      return over ? next.slice(0, end + 1) : next;
    },
    (row) => row.position,
    { ...bounds, beyond: undefined },
  );
  const own = rows.filter((row) => row.run_id === run.id);
  return own.some(({ status }) => status === "started") ? own : [];
}

/** The events of the open calls, of the run's start and of its current wait for a client, in order. */
export function openCallEvents(store: ThreadStore, thread: ThreadRecord): PlainEvent[] {
  const rows = openStepRows(store, thread);
  const run = rows.length === 0 || thread.active_run_id === null ? null : store.run(thread.active_run_id);
  if (run === null) return [];
  const source = eventSource(store, thread, rows);
  const start = run.events.filter(({ type }) => type === "run_start");
  const wait = run.status === "awaiting_tool_execution" ? run.events.findLast(isWait) : undefined;
  const calls = rows.filter(({ role }) => role === "tool").flatMap(({ events }) => events);
  return [...start, ...(wait === undefined ? [] : [wait]), ...calls]
    .sort((left, right) => left.seq - right.seq)
    .flatMap((event) => fromStored(event, source) ?? []);
}

function isWait({ type }: StoredEvent): boolean {
  return type === "awaiting_tool_execution";
}

function isOwnAnswer(row: MessageRecord): boolean {
  return isAnswer(row) && isInScope(mainScope, row);
}
