// Reads and writes events with a row of their own. Other events are stored in the row of the record that they report.

import { asc, eq, gt, sql } from "drizzle-orm";

import type { StoredEvent } from "#core/record/record.ts";

import { decodeBody, encodeBody } from "../row-body.ts";
import type { ManagedThreadStore } from "../thread-lifecycle.ts";
import { eventTable } from "./schema.ts";
import { prepared, type ThreadDatabase } from "./thread-database.ts";

/** Creates the operations on events. */
export function eventRows(
  database: ThreadDatabase,
): Pick<ManagedThreadStore, "insertEvent" | "deleteEvent" | "eventsAfter" | "eventPage"> {
  const queries = prepared({
    insert: () => database.insert(eventTable).values({ seq: sql.placeholder("seq"), body: sql.placeholder("body") }),
    delete: () => database.delete(eventTable).where(eq(eventTable.seq, sql.placeholder("seq"))),
    select: () =>
      database
        .select({ body: eventTable.body })
        .from(eventTable)
        .where(gt(eventTable.seq, sql.placeholder("seq")))
        .orderBy(asc(eventTable.seq))
        .limit(sql.placeholder("limit")),
  });
  const read = (seq: number, limit: number): StoredEvent[] =>
    queries.select.all({ seq, limit }).map((row) => decodeBody<StoredEvent>(row.body));
  return {
    insertEvent(event) {
      queries.insert.run({ seq: event.seq, body: encodeBody("event", event) });
    },
    deleteEvent(seq) {
      queries.delete.run({ seq });
    },
    eventsAfter: (seq, limit) => read(seq, limit),
    eventPage: ({ after, limit }) => read(after, limit),
  };
}
