// Reads the latest tool calls of a thread, to find the call of a result that is posted late or repeatedly.

import type { MessageRecord } from "#core/record.ts";

import type { LiveThread } from "../live-thread.ts";
import { boundedRows } from "./bounded-page.ts";

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
