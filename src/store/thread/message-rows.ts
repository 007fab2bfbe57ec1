// Reads and writes single messages. A message's position normally equals its id, so it is found without an index. A queued input gets a
// later position; a second row stores the position of such a message.

import { and, eq, sql } from "drizzle-orm";

import { refuse } from "#contract/error.ts";
import type { ThreadStore } from "#core/ports/thread-store.ts";
import type { MessageRecord } from "#core/record/record.ts";

import { decodeBody, encodeBody } from "../row-body.ts";
import { branchTable, messageTable, movedMessageTable } from "./schema.ts";
import { assertUpdated, prepared, type ThreadDatabase } from "./thread-database.ts";

const atPosition = and(
  eq(messageTable.branch, sql.placeholder("branch")),
  eq(messageTable.position, sql.placeholder("position")),
  // The id is compared too, so that a position with a wrong id never finds another message.
  eq(messageTable.id, sql.placeholder("id")),
);

function messageQueries(database: ThreadDatabase) {
  return prepared({
    insert: () =>
      database.insert(messageTable).values({
        branch: sql.placeholder("branch"),
        position: sql.placeholder("position"),
        id: sql.placeholder("id"),
        depth: sql.placeholder("depth"),
        silent: sql.placeholder("silent"),
        body: sql.placeholder("body"),
      }),
    update: () =>
      database
        .update(messageTable)
        .set({
          depth: sql`${sql.placeholder("depth")}`,
          silent: sql`${sql.placeholder("silent")}`,
          body: sql`${sql.placeholder("body")}`,
        })
        .where(atPosition)
        .returning({ id: messageTable.id }),
    delete: () => database.delete(messageTable).where(atPosition),
    select: () => database.select({ body: messageTable.body }).from(messageTable).where(atPosition),
    // SQLite keeps the order of a cross join: one lookup by primary key for each branch instead of a scan of the messages.
    selectUnmoved: () =>
      database
        .select({ body: messageTable.body })
        .from(branchTable)
        .crossJoin(messageTable)
        .where(
          and(
            eq(messageTable.branch, branchTable.id),
            eq(messageTable.position, sql.placeholder("id")),
            eq(messageTable.id, sql.placeholder("id")),
          ),
        )
        .limit(1),
    insertMove: () =>
      database.insert(movedMessageTable).values({
        id: sql.placeholder("id"),
        branch: sql.placeholder("branch"),
        position: sql.placeholder("position"),
      }),
    deleteMove: () => database.delete(movedMessageTable).where(eq(movedMessageTable.id, sql.placeholder("id"))),
    selectMove: () =>
      database
        .select({ id: movedMessageTable.id, branch: movedMessageTable.branch, position: movedMessageTable.position })
        .from(movedMessageTable)
        .where(eq(movedMessageTable.id, sql.placeholder("id"))),
  });
}

/** Creates the operations on single messages. `hasBranch` returns whether a branch exists. */
export function messageRows(
  database: ThreadDatabase,
  hasBranch: (id: string) => boolean,
): Pick<ThreadStore, "insertMessage" | "updateMessage" | "deleteMessage" | "message"> {
  const queries = messageQueries(database);
  const values = (message: MessageRecord) => ({
    branch: message.branch,
    position: message.position,
    id: message.id,
    depth: message.depth,
    silent: message.silent ? 1 : 0,
    body: encodeBody("message", message),
  });
  return {
    insertMessage(message) {
      // Messages are read by branch, so a message of a branch that does not exist would never be found.
      if (!hasBranch(message.branch)) throw refuse("internal", `There is no branch ${message.branch}.`);
      queries.insert.run(values(message));
      if (message.position !== message.id) queries.insertMove.run({ ...positionOf(message) });
    },
    updateMessage(message) {
      assertUpdated(queries.update.get(values(message)), "message at this place");
    },
    deleteMessage(message) {
      queries.delete.run({ ...positionOf(message) });
      if (message.position !== message.id) queries.deleteMove.run({ id: message.id });
    },
    message(id) {
      let row = queries.selectUnmoved.get({ id });
      if (row === undefined) {
        const place = queries.selectMove.get({ id });
        row = place && queries.select.get(place);
      }
      return row === undefined ? null : decodeBody<MessageRecord>(row.body);
    },
  };
}

function positionOf({ id, branch, position }: MessageRecord) {
  return { id, branch, position };
}
