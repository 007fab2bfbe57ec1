// Reads and writes runs by id. Ids increase, so their order is that of the admissions.

import { asc, desc, eq, gt, lt, sql } from "drizzle-orm";

import type { ThreadStore } from "#core/ports/thread-store.ts";

import { firstKey, lastKey } from "../key-range.ts";
import { decodeBody, encodeBody } from "../row-body.ts";
import { currentRun } from "./earlier-records.ts";
import { runTable } from "./schema.ts";
import { assertUpdated, prepared, type ThreadDatabase } from "./thread-database.ts";

/** Creates the operations on runs. */
export function runRows(
  database: ThreadDatabase,
): Pick<ThreadStore, "insertRun" | "updateRun" | "deleteRun" | "run" | "runs"> {
  const withId = eq(runTable.id, sql.placeholder("id"));
  const values = { id: sql.placeholder("id"), body: sql.placeholder("body") };
  const body = { body: runTable.body };
  const limit = sql.placeholder("limit");
  const beyond = sql.placeholder("beyond");
  const queries = prepared({
    insert: () => database.insert(runTable).values(values),
    update: () =>
      database
        .update(runTable)
        .set({ body: sql`${sql.placeholder("body")}` })
        .where(withId)
        .returning({ id: runTable.id }),
    delete: () => database.delete(runTable).where(withId),
    select: () => database.select(body).from(runTable).where(withId),
    asc: () =>
      database.select(body).from(runTable).where(gt(runTable.id, beyond)).orderBy(asc(runTable.id)).limit(limit),
    desc: () =>
      database.select(body).from(runTable).where(lt(runTable.id, beyond)).orderBy(desc(runTable.id)).limit(limit),
  });
  return {
    insertRun(run) {
      queries.insert.run({ id: run.id, body: encodeBody("run", run) });
    },
    updateRun(run) {
      assertUpdated(queries.update.get({ id: run.id, body: encodeBody("run", run) }), "run of this id");
    },
    deleteRun(id) {
      queries.delete.run({ id });
    },
    run(id) {
      const row = queries.select.get({ id });
      return row === undefined ? null : currentRun(decodeBody(row.body));
    },
    runs({ order, limit, beyond }) {
      const open = order === "asc" ? firstKey : lastKey;
      return queries[order].all({ limit, beyond: beyond ?? open }).map((row) => currentRun(decodeBody(row.body)));
    },
  };
}
