// The thread in which another agent works on a call: told while somebody watches, looked up by those who come later.

import { useQuery } from "@tanstack/react-query";
import type { ThreadHandle } from "threadhold/client";
import { useThreadholdClient } from "threadhold/react";

import { useAgents } from "../agents/use-agents.ts";

/** A call, and the thread that was told with it, if any. */
export interface CallOfAgent {
  handle: ThreadHandle;
  call: { id: string; name: string };
  told: string | null;
}

/** Its id; null where there is none, or none is known yet. */
export function useChildThread({ handle, call, told }: CallOfAgent): string | null {
  const client = useThreadholdClient();
  const { agents } = useAgents();
  const isAgent = agents.some(({ agent }) => agent.name === call.name);
  const { data } = useQuery({
    // One question for all calls of a thread.
    queryKey: ["children", handle.id],
    queryFn: async ({ signal }) => {
      const { items } = await client.threads.list({ parent_id: handle.id, limit: 200 }, { signal });
      return items.map(({ id, parent }) => ({ id, call: parent?.tool_call_id }));
    },
    enabled: isAgent && told === null,
    staleTime: 60_000,
  });
  return told ?? data?.find((child) => child.call === call.id)?.id ?? null;
}
