// Looks for a call that is not open any more, by its id.

import type { MessageRecord } from "#core/record.ts";

import type { LiveThread } from "../live-thread.ts";
import { boundedRows } from "./bounded-page.ts";

/** Messages that are searched, newest first, and UTF-16 units of them. */
const searched = { limit: 2000, bytes: 8 * 1024 * 1024 };

/** The tool message of a call; undefined where it is too far back or never was. */
export function findCall(live: LiveThread, callId: string): MessageRecord | undefined {
  const { rows } = boundedRows(
    (beyond, limit) =>
      live.store.messages({ branch: live.record.branch, order: "desc", includeSilent: true, limit, beyond }),
    (row) => row.position,
    { ...searched, beyond: undefined },
  );
  return rows.find(({ role, tool_call_id }) => role === "tool" && tool_call_id === callId);
}
