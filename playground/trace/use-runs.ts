// The runs of a thread, newest first, loaded again when one starts, ends or waits.

import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Run, ThreadHandle } from "threadhold/client";

import { loadAgain } from "../kit/load-again.ts";

/** The loaded runs. */
export interface KnownRuns {
  runs: readonly Run[];
  loading: boolean;
  error: Error | null;
  retry: () => void;
  /** Loads more; null if all runs are loaded. */
  more: (() => void) | null;
}

const pageLength = 50;

export function useRuns(handle: ThreadHandle): KnownRuns {
  const queries = useQueryClient();
  const { data, isPending, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ["runs", handle.id],
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: pageLength, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return handle.runs.list(query, { signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
  useEffect(() => {
    const types = ["run_start", "run_end", "queue_changed", "awaiting_tool_execution"] as const;
    const leaves = types.map((type) => handle.on(type, () => void loadAgain(queries, ["runs", handle.id])));
    return () => {
      for (const leave of leaves) leave();
    };
  }, [handle, queries]);
  return {
    runs: data?.pages.flatMap(({ items }) => items) ?? [],
    loading: isPending,
    error,
    retry: () => void refetch(),
    more: hasNextPage ? () => void fetchNextPage() : null,
  };
}
