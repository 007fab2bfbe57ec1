// Finds the calls of the active run that wait for a result from a client, a person or a child thread. The calls of an executed run are
// found in its messages in memory; those of a suspended run by the ids in the thread's row.

import type { MessageRecord } from "#core/record.ts";

import type { LiveThread } from "../live-thread.ts";
import { openStepRows } from "../replay/open-step.ts";

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
