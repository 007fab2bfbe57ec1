// The child thread in which another agent works on a call. A live event has its id; a page that was opened later reads the id from the list
// of child threads.

import { useQuery } from "@tanstack/react-query";
import type { ThreadHandle } from "threadhold/client";
import { useThreadholdClient } from "threadhold/react";

import { useAgents } from "../agents/use-agents.ts";

/** A call, with the thread id from its event, if there is one. */
export interface CallOfAgent {
  handle: ThreadHandle;
  call: { id: string; name: string };
  liveThreadId: string | null;
}

/** The thread's id; null if there is none, or if it is not known yet. */
export function useChildThread({ handle, call, liveThreadId }: CallOfAgent): string | null {
  const client = useThreadholdClient();
  const { agents } = useAgents();
  const isAgent = agents.some(({ agent }) => agent.name === call.name);
  const { data } = useQuery({
    // One request for all calls of a thread.
    queryKey: ["children", handle.id],
    queryFn: async ({ signal }) => {
      const { items } = await client.threads.list({ parent_id: handle.id, limit: 200 }, { signal });
      return items.map(({ id, parent }) => ({ id, call: parent?.tool_call_id }));
    },
    enabled: isAgent && liveThreadId === null,
    staleTime: 60_000,
  });
  return liveThreadId ?? data?.find((child) => child.call === call.id)?.id ?? null;
}
