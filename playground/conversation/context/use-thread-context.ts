// The context of a thread, which is what the next request to its model contains. It is loaded again after each event that changes it.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { UseQueryResult } from "@tanstack/react-query";
import { useEffect } from "react";
import type { EventType, ThreadContext, ThreadHandle } from "threadhold/client";

/** The context. It is not requested while `enabled` is false. */
export function useThreadContext(handle: ThreadHandle, enabled: boolean): UseQueryResult<ThreadContext> {
  return useQuery({ queryKey: ["context", handle.id], queryFn: ({ signal }) => handle.context({ signal }), enabled });
}

/** Types of events after which the next request contains something else. */
const changing: readonly EventType[] = [
  "message_end",
  "message_updated",
  "message_deleted",
  "message_retracted",
  "agent_handoff",
  "compaction_end",
  "run_end",
];

/** Loads the context again when it changes, if a component shows it. A page calls this once. */
export function useContextReload(handle: ThreadHandle): void {
  const queries = useQueryClient();
  useEffect(() => {
    const load = async (): Promise<void> => {
      const filters = { queryKey: ["context", handle.id], exact: true };
      // An open request may have read the context before the event.
      await queries.cancelQueries(filters);
      await queries.invalidateQueries(filters);
    };
    const leaves = changing.map((type) => handle.on(type, () => void load()));
    return () => {
      for (const leave of leaves) leave();
    };
  }, [handle, queries]);
}
