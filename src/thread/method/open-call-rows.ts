// The calls of the active run that wait for an answer from elsewhere, whatever else its step has said: where it rests by the
// ids that it shows, while it is driven from its messages in memory.

import type { MessageRecord } from "#core/record.ts";

import type { LiveThread } from "../live-thread.ts";
import { openStepRows } from "../reader/open-calls.ts";

/**
 * Their tool messages, in call order; of a run that rests, those that wait for a child thread only where that waits for somebody
 * outside.
 */
export function openCallRows(live: LiveThread): MessageRecord[] {
  return rowsOf(live).filter(({ status, awaits }) => status === "started" && awaits !== undefined);
}

function rowsOf({ store, record, transcript }: LiveThread): readonly MessageRecord[] {
  if (transcript !== null) return transcript;
  const ids = new Set((record.pending ?? []).flatMap(({ message_id }) => message_id ?? []));
  const shown = [...ids].flatMap((id) => store.message(id) ?? []);
  return shown.length > 0 ? shown : openStepRows(store, record).reverse();
}
