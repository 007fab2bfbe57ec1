// Reads and writes single messages. A message's position normally equals its id, so it is found without an index. A queued input gets a
// later position; a second row stores the position of such a message.

import { refuse } from "#contract/error.ts";
import type { ThreadStore } from "#core/ports/thread-store.ts";
import type { MessageRecord } from "#core/record/record.ts";

import type { MeteredStorage } from "../meter.ts";
import { decodeBody, encodeBody } from "../row-body.ts";
import { assertUpdated, statement } from "./statement.ts";

/** The key of a message. The id is compared too, so that a position with a wrong id never finds another message. */
const atPosition = "branch = ? AND position = ? AND id = ?";

/** Creates the operations on single messages. `hasBranch` returns whether a branch exists. */
export function messageRows(
  storage: MeteredStorage,
  hasBranch: (id: string) => boolean,
): Pick<ThreadStore, "insertMessage" | "updateMessage" | "deleteMessage" | "message"> {
  const insert = statement(
    storage,
    "INSERT INTO message (depth, silent, body, branch, position, id) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const update = statement(
    storage,
    `UPDATE message SET depth = ?, silent = ?, body = ? WHERE ${atPosition} RETURNING id`,
  );
  const remove = statement(storage, `DELETE FROM message WHERE ${atPosition}`);
  const select = statement(storage, `SELECT body FROM message WHERE ${atPosition}`);
  // SQLite keeps the order of a cross join: one lookup by primary key for each branch instead of a scan of the messages.
  const selectUnmoved = statement(
    storage,
    "SELECT m.body FROM branch CROSS JOIN message m WHERE m.branch = branch.id AND m.position = ?1 AND m.id = ?1 LIMIT 1",
  );
  const insertMove = statement(storage, "INSERT INTO moved_message (branch, position, id) VALUES (?, ?, ?)");
  const deleteMove = statement(storage, "DELETE FROM moved_message WHERE id = ?");
  const selectMove = statement<{ branch: string; position: string }>(
    storage,
    "SELECT branch, position FROM moved_message WHERE id = ?",
  );
  return {
    insertMessage(message) {
      // Messages are read by branch, so a message of a branch that does not exist would never be found.
      if (!hasBranch(message.branch)) throw refuse("internal", `There is no branch ${message.branch}.`);
      insert.run(...valuesOf(message), ...keyOf(message));
      if (message.position !== message.id) insertMove.run(...keyOf(message));
    },
    updateMessage(message) {
      assertUpdated(update.get(...valuesOf(message), ...keyOf(message)), "message at this place");
    },
    deleteMessage(message) {
      remove.run(...keyOf(message));
      if (message.position !== message.id) deleteMove.run(message.id);
    },
    message(id) {
      let row = selectUnmoved.get(id);
      if (row === undefined) {
        const place = selectMove.get(id);
        row = place && select.get(place.branch, place.position, id);
      }
      return row === undefined ? null : decodeBody<MessageRecord>(row.body);
    },
  };
}

function valuesOf(message: MessageRecord): [number, number, string] {
  return [message.depth, message.silent ? 1 : 0, encodeBody("message", message)];
}

function keyOf({ branch, position, id }: MessageRecord): [string, string, string] {
  return [branch, position, id];
}
