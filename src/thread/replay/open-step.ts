// Reads the tool calls of the unfinished step from rows, for a reader that joins after the object was evicted: memory does not have them
// then. Only the end of the run is read, within bounds.

import type { PlainEvent } from "#contract/event.ts";
import type { ThreadStore } from "#core/ports/thread-store.ts";
import type { MessageRecord, StoredEvent, ThreadRecord } from "#core/record/record.ts";
import { isAnswer, isInScope, mainScope } from "#core/record/scope.ts";
import { fromStored } from "#core/record/stored-event.ts";

import { boundedRows } from "../bounded-page.ts";
import { eventSource } from "./replay.ts";

/** Maximal number of messages that are read, and UTF-16 units of their JSON. */
const bounds = { limit: 1000, bytes: 4 * 1024 * 1024 };

/** The messages from the last answer of the run's main loop on, newest first; none if no call is open. */
export function openStepRows(store: ThreadStore, thread: ThreadRecord): MessageRecord[] {
  const run = thread.active_run_id === null ? null : store.run(thread.active_run_id);
  if (run === null) return [];
  let found = false;
  const { rows } = boundedRows(
    (beyond, limit) => {
      if (found) return [];
      const next = store.messages({ branch: thread.branch, order: "desc", includeSilent: true, limit, beyond });
      const end = next.findIndex((row) => row.position <= run.after_position || isOwnAnswer(row));
      found = end !== -1;
      return found ? next.slice(0, end + 1) : next;
    },
    (row) => row.position,
    { ...bounds, beyond: undefined },
  );
  const own = rows.filter((row) => row.run_id === run.id);
  return own.some(({ status }) => status === "started") ? own : [];
}

/** The events of the open calls, of the run's start, and of the run's current suspension if it waits for a client; in order. */
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
