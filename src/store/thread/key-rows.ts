// Reads and writes idempotency keys with the response to their first request. They are kept as long as the thread.

import type { ThreadStore } from "#core/ports/thread-store.ts";
import type { KeyRecord } from "#core/record/record.ts";

import type { MeteredStorage } from "../meter.ts";
import { decodeBody, encodeBody } from "../row-body.ts";
import { statement } from "./statement.ts";

/** Creates the operations on keys. */
export function keyRows(storage: MeteredStorage): Pick<ThreadStore, "insertKey" | "key"> {
  const insert = statement(storage, "INSERT INTO request_key (key, body) VALUES (?, ?)");
  const select = statement(storage, "SELECT body FROM request_key WHERE key = ?");
  return {
    insertKey(record) {
      insert.run(record.key, encodeBody("key", record));
    },
    key(key) {
      const row = select.get(key);
      return row === undefined ? null : decodeBody<KeyRecord>(row.body);
    },
  };
}
