// The thread's own row. It is written with almost every commit, so it stays one row of one table. While a thread is being
// imported its place holds a mark, which is no thread to anybody who reads.

import { eq, sql } from "drizzle-orm";

import type { ThreadRecord } from "#core/record.ts";

import { decodeBody, encodeBody } from "../row-body.ts";
import { threadTable } from "./schema.ts";
import { mustHaveChanged, type ThreadDatabase } from "./thread-database.ts";

/** What stands in place of a thread that is not whole yet. */
interface ImportMark {
  importing: string;
}

/** Reads and writes of the row. */
export function threadRow(database: ThreadDatabase) {
  const insert = database
    .insert(threadTable)
    .values({ id: 1, schemaVersion: sql.placeholder("version"), body: sql.placeholder("body") })
    .prepare();
  const update = database
    .update(threadTable)
    .set({ body: sql`${sql.placeholder("body")}` })
    .where(eq(threadTable.id, 1))
    .returning({ id: threadTable.id })
    .prepare();
  const select = database.select({ body: threadTable.body }).from(threadTable).where(eq(threadTable.id, 1)).prepare();
  const read = (): ThreadRecord | ImportMark | null => {
    const row = select.get();
    return row === undefined ? null : decodeBody<ThreadRecord | ImportMark>(row.body);
  };
  return {
    mark(threadId: string, version: number): void {
      insert.run({ version, body: encodeBody("thread", { importing: threadId } satisfies ImportMark) });
    },
    marked(): string | null {
      const row = read();
      return row !== null && "importing" in row ? row.importing : null;
    },
    insert(thread: ThreadRecord, version: number): void {
      insert.run({ version, body: encodeBody("thread", thread) });
    },
    write(thread: ThreadRecord): void {
      mustHaveChanged(update.get({ body: encodeBody("thread", thread) }), "thread");
    },
    read(): ThreadRecord | null {
      const row = read();
      return row === null || "importing" in row ? null : row;
    },
  };
}
