// Reads the rows of a thread's tool calls: the open ones of the active run, and the latest ones, to find the call of a result that is
// posted late or repeatedly. The open calls of an executed run are found in its messages in memory; those of a suspended run by the ids
// in the thread's row.

import type { MessageRecord } from "#core/record.ts";

import type { LiveThread } from "../live-thread.ts";
import { openStepRows } from "../replay/open-step.ts";
import { boundedRows } from "./bounded-page.ts";

/**
 * Returns the tool messages of the calls that wait, in call order. For a suspended run, a call that waits for a child thread is included
 * only if the child itself waits for a client or a person.
 */
export function openCallRows(live: LiveThread): MessageRecord[] {
  return rowsOf(live).filter(({ status, awaits }) => status === "started" && awaits !== undefined);
}

function rowsOf({ store, record, runState }: LiveThread): readonly MessageRecord[] {
  if (runState.messages !== null) return runState.messages;
  const ids = new Set((record.pending ?? []).flatMap(({ message_id }) => message_id ?? []));
  const shown = [...ids].flatMap((id) => store.message(id) ?? []);
  return shown.length > 0 ? shown : openStepRows(store, record).reverse();
}

/** The most messages that are searched, newest first, and the most UTF-16 units of their JSON (`bytes`). */
const searched = { limit: 2000, bytes: 8 * 1024 * 1024 };

/** The tool messages of the thread's last calls, newest first. */
export function recentCalls(live: LiveThread): MessageRecord[] {
  const { rows } = boundedRows(
    (beyond, limit) =>
      live.store.messages({ branch: live.record.branch, order: "desc", includeSilent: true, limit, beyond }),
    (row) => row.position,
    { ...searched, beyond: undefined },
  );
  return rows.filter(({ role }) => role === "tool");
}
