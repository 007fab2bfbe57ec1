// The caller that the page's credentials identify, read from the server.

import { useQuery } from "@tanstack/react-query";
import type { RouteAnswer } from "threadhold/client";
import { useThreadholdClient } from "threadhold/react";

/** A user, or an administrator. */
export type Caller = RouteAnswer<"GET /api/caller">;

/** The caller; undefined until the server answered. */
export function useCaller(): Caller | undefined {
  const client = useThreadholdClient();
  const { data } = useQuery({
    queryKey: ["caller"],
    queryFn: ({ signal }) => client.request("GET /api/caller", { signal }),
    staleTime: Infinity,
  });
  return data;
}

/** The owner of a thread; null if the caller is the owner or is not loaded yet. */
export function otherOwner(caller: Caller | undefined, { user_id: owner }: { user_id: string | null }): string | null {
  return caller === undefined || owner === caller.user_id ? null : owner;
}

/** The caller's user id, or a label for a caller without one. */
export function callerName({ user_id: user, admin }: Caller): string {
  return user ?? (admin ? "Administrator" : "A user");
}
