// Loads a query again after a change on the server.

import type { QueryClient, QueryKey } from "@tanstack/react-query";

/**
 * Loads a query again. The server may have answered a request under way before the change, so that request is cancelled first; `refetch`
 * alone keeps the outdated result of a query's first request.
 */
export async function loadAgain(queries: QueryClient, queryKey: QueryKey): Promise<void> {
  await queries.cancelQueries({ queryKey, exact: true });
  await queries.refetchQueries({ queryKey, exact: true });
}
