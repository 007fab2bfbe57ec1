// Finds the messages of tool calls that wait for a client, a person or a child thread, and those of the thread's last calls.

import type { MessageRecord } from "#core/record/record.ts";

import { boundedRows } from "../bounded-page.ts";
import { openStepRows } from "../replay/open-step.ts";
import type { LiveThread } from "./live-thread.ts";

/**
 * Returns the tool messages of the calls that wait, in call order. If a run is suspended and the thread's row lists calls, a call that
 * waits for a child thread is included only if the child itself waits for a client or a person.
 */
export function openCallRows(live: LiveThread): MessageRecord[] {
  return rowsOf(live).filter(({ status, awaits }) => status === "started" && awaits !== undefined);
}

/**
 * The messages with the open calls: of an executed run from memory, of a suspended run by the ids in the thread's row. If the row lists
 * none, the messages of the run's last step are read.
 */
function rowsOf({ store, record, runState }: LiveThread): readonly MessageRecord[] {
  if (runState.messages !== null) return runState.messages;
  const ids = new Set((record.pending ?? []).flatMap(({ message_id }) => message_id ?? []));
  const shown = [...ids].flatMap((id) => store.message(id) ?? []);
  return shown.length > 0 ? shown : openStepRows(store, record).reverse();
}

/** The maximum number of messages that are searched, newest first, and the maximum number of UTF-16 units of their JSON (`bytes`). */
const searched = { limit: 2000, bytes: 8 * 1024 * 1024 };

/** The tool messages of the thread's last calls, newest first: to find the call of a result that is posted late or repeatedly. */
export function recentCalls(live: LiveThread): MessageRecord[] {
  const { rows } = boundedRows(
    (beyond, limit) =>
      live.store.messages({ branch: live.record.branch, order: "desc", includeSilent: true, limit, beyond }),
    (row) => row.position,
    { ...searched, beyond: undefined },
  );
  return rows.filter(({ role }) => role === "tool");
}
