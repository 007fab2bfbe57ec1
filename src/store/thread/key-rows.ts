// Reads and writes idempotency keys with the response to their first request. They are kept as long as the thread.

import { eq, sql } from "drizzle-orm";

import type { ThreadStore } from "#core/ports/thread-store.ts";
import type { KeyRecord } from "#core/record/record.ts";

import { decodeBody, encodeBody } from "../row-body.ts";
import { requestKeyTable } from "./schema.ts";
import { prepared, type ThreadDatabase } from "./thread-database.ts";

/** Creates the operations on keys. */
export function keyRows(database: ThreadDatabase): Pick<ThreadStore, "insertKey" | "key"> {
  const queries = prepared({
    insert: () =>
      database.insert(requestKeyTable).values({ key: sql.placeholder("key"), body: sql.placeholder("body") }),
    select: () =>
      database
        .select({ body: requestKeyTable.body })
        .from(requestKeyTable)
        .where(eq(requestKeyTable.key, sql.placeholder("key"))),
  });
  return {
    insertKey(record) {
      queries.insert.run({ key: record.key, body: encodeBody("key", record) });
    },
    key(key) {
      const row = queries.select.get({ key });
      return row === undefined ? null : decodeBody<KeyRecord>(row.body);
    },
  };
}
