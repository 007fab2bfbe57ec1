// Keeps the count of waiting threads current for threads of other users. An administrator's feed does not report them; only the list of
// threads at the side does.

import { useEffect, useRef } from "react";
import type { Thread } from "threadhold/client";

import { otherOwner, useCaller } from "../access/use-caller.ts";
import { useWaitingList } from "./waiting-list.ts";

/** Loads the waiting threads again when a listed thread of another user starts or stops waiting. */
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
