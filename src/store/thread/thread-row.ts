// Reads and writes the row of the thread. It is written with almost every commit, so it is a single row. During an import it contains a
// mark instead, which `read` does not return as a thread.

import { eq, sql } from "drizzle-orm";

import type { ThreadRecord } from "#core/record/record.ts";

import { decodeBody, encodeBody } from "../row-body.ts";
import { currentThread } from "./earlier-records.ts";
import { threadTable } from "./schema.ts";
import { assertUpdated, prepared, type ThreadDatabase } from "./thread-database.ts";

/** The content of the row during an import. */
interface ImportMark {
  importing: string;
}

/** Creates the operations on the row. */
export function threadRow(database: ThreadDatabase) {
  const queries = prepared({
    insert: () =>
      database
        .insert(threadTable)
        .values({ id: 1, schemaVersion: sql.placeholder("version"), body: sql.placeholder("body") }),
    update: () =>
      database
        .update(threadTable)
        .set({ body: sql`${sql.placeholder("body")}` })
        .where(eq(threadTable.id, 1))
        .returning({ id: threadTable.id }),
    select: () => database.select({ body: threadTable.body }).from(threadTable).where(eq(threadTable.id, 1)),
  });
  const read = (): ThreadRecord | ImportMark | null => {
    const row = queries.select.get();
    if (row === undefined) return null;
    const body = decodeBody<ThreadRecord | ImportMark>(row.body);
    return "importing" in body ? body : currentThread(body);
  };
  return {
    mark(threadId: string, version: number): void {
      queries.insert.run({ version, body: encodeBody("thread", { importing: threadId } satisfies ImportMark) });
    },
    marked(): string | null {
      const row = read();
      return row !== null && "importing" in row ? row.importing : null;
    },
    insert(thread: ThreadRecord, version: number): void {
      queries.insert.run({ version, body: encodeBody("thread", thread) });
    },
    write(thread: ThreadRecord): void {
      assertUpdated(queries.update.get({ body: encodeBody("thread", thread) }), "thread");
    },
    read(): ThreadRecord | null {
      const row = read();
      return row === null || "importing" in row ? null : row;
    },
  };
}
