// Reads and writes the row of the thread. It is written with almost every commit, so it is a single row. During an import it contains a
// mark instead, which `read` does not return as a thread.

import type { ThreadRecord } from "#core/record/record.ts";

import type { MeteredStorage } from "../meter.ts";
import { decodeBody, encodeBody } from "../row-body.ts";
import { currentThread } from "./earlier-records.ts";
import { assertUpdated, statement } from "./statement.ts";

/** The content of the row during an import. */
interface ImportMark {
  importing: string;
}

/** Creates the operations on the row. */
export function threadRow(storage: MeteredStorage) {
  const insert = statement(storage, "INSERT INTO thread (id, schema_version, body) VALUES (1, ?, ?)");
  const update = statement(storage, "UPDATE thread SET body = ? WHERE id = 1 RETURNING id");
  const select = statement(storage, "SELECT body FROM thread WHERE id = 1");
  const read = (): ThreadRecord | ImportMark | null => {
    const row = select.get();
    if (row === undefined) return null;
    const body = decodeBody<ThreadRecord | ImportMark>(row.body);
    return "importing" in body ? body : currentThread(body);
  };
  return {
    mark(threadId: string, version: number): void {
      insert.run(version, encodeBody("thread", { importing: threadId } satisfies ImportMark));
    },
    marked(): string | null {
      const row = read();
      return row !== null && "importing" in row ? row.importing : null;
    },
    insert(thread: ThreadRecord, version: number): void {
      insert.run(version, encodeBody("thread", thread));
    },
    write(thread: ThreadRecord): void {
      assertUpdated(update.get(encodeBody("thread", thread)), "thread");
    },
    read(): ThreadRecord | null {
      const row = read();
      return row === null || "importing" in row ? null : row;
    },
  };
}
