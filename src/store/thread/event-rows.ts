// Reads and writes events with a row of their own. Other events are stored in the row of the record that they report.

import type { StoredEvent } from "#core/record/record.ts";

import type { MeteredStorage } from "../meter.ts";
import { decodeBody, encodeBody } from "../row-body.ts";
import type { ManagedThreadStore } from "../thread-lifecycle.ts";
import { statement } from "./statement.ts";

/** Creates the operations on events. */
export function eventRows(
  storage: MeteredStorage,
): Pick<ManagedThreadStore, "insertEvent" | "deleteEvent" | "eventsAfter" | "eventPage"> {
  const insert = statement(storage, "INSERT INTO event (seq, body) VALUES (?, ?)");
  const remove = statement(storage, "DELETE FROM event WHERE seq = ?");
  const select = statement(storage, "SELECT body FROM event WHERE seq > ? ORDER BY seq LIMIT ?");
  const read = (seq: number, limit: number): StoredEvent[] =>
    select.all(seq, limit).map((row) => decodeBody<StoredEvent>(row.body));
  return {
    insertEvent(event) {
      insert.run(event.seq, encodeBody("event", event));
    },
    deleteEvent(seq) {
      remove.run(seq);
    },
    eventsAfter: (seq, limit) => read(seq, limit),
    eventPage: ({ after, limit }) => read(after, limit),
  };
}
