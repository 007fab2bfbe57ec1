// Reports to the count of waiting threads what only the list of threads at the side learns: threads of other users, which an administrator's
// feed does not report.

import { useEffect, useRef } from "react";
import type { Thread } from "threadhold/client";

import { otherOwner, useCaller } from "../access/use-caller.ts";
import { useWaitingList } from "./waiting-list.ts";

/** Loads the waiting threads again when a listed thread of another user begins or ends to wait. */
export function useOthersWaiting(listed: readonly Thread[]): void {
  const list = useWaitingList();
  const caller = useCaller();
  const waiting = listed
    .filter((thread) => otherOwner(caller, thread) !== null && thread.pending_tool_calls.length > 0)
    .map(({ id, pending_tool_calls: calls }) => `${id} ${calls.map((call) => call.id).join(" ")}`)
    .toSorted()
    .join();
  const before = useRef(waiting);
  useEffect(() => {
    if (before.current === waiting) return;
    before.current = waiting;
    list.refresh();
  }, [list, waiting]);
}
