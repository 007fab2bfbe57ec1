// Reads and writes runs by id. Ids increase, so their order is that of the admissions.

import type { ThreadStore } from "#core/ports/thread-store.ts";

import { firstKey, lastKey } from "../key-range.ts";
import type { MeteredStorage } from "../meter.ts";
import { decodeBody, encodeBody } from "../row-body.ts";
import { currentRun } from "./earlier-records.ts";
import { assertUpdated, statement } from "./statement.ts";

/** Creates the operations on runs. */
export function runRows(
  storage: MeteredStorage,
): Pick<ThreadStore, "insertRun" | "updateRun" | "deleteRun" | "run" | "runs"> {
  const insert = statement(storage, "INSERT INTO run (id, body) VALUES (?, ?)");
  const update = statement(storage, "UPDATE run SET body = ? WHERE id = ? RETURNING id");
  const remove = statement(storage, "DELETE FROM run WHERE id = ?");
  const select = statement(storage, "SELECT body FROM run WHERE id = ?");
  const page = {
    asc: statement(storage, "SELECT body FROM run WHERE id > ? ORDER BY id ASC LIMIT ?"),
    desc: statement(storage, "SELECT body FROM run WHERE id < ? ORDER BY id DESC LIMIT ?"),
  };
  return {
    insertRun(run) {
      insert.run(run.id, encodeBody("run", run));
    },
    updateRun(run) {
      assertUpdated(update.get(encodeBody("run", run), run.id), "run of this id");
    },
    deleteRun(id) {
      remove.run(id);
    },
    run(id) {
      const row = select.get(id);
      return row === undefined ? null : currentRun(decodeBody(row.body));
    },
    runs({ order, limit, beyond }) {
      const open = order === "asc" ? firstKey : lastKey;
      return page[order].all(beyond ?? open, limit).map((row) => currentRun(decodeBody(row.body)));
    },
  };
}
