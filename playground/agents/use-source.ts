// Loads a source of tools with its state. Each load makes the deployment request the source's server, so a source is loaded
// when a person opens its page or presses a button, and is kept until the page is closed.

import { useQuery } from "@tanstack/react-query";
import type { Definitions } from "threadhold/client";
import { useThreadholdClient } from "threadhold/react";

/** A source, its state and its tools. */
export type SourceState = Awaited<ReturnType<Definitions["sources"]["get"]>>;

/** A source as far as it is loaded. */
export interface LoadedSource {
  /** Undefined until it is loaded. After a failed request the last loaded value stays. */
  state: SourceState | undefined;
  /** The failure of the request to the deployment. */
  error: Error | null;
  isLoading: boolean;
  /** Microseconds since epoch, when the state was loaded; 0 before. */
  loadedAt: number;
  load: () => void;
}

/** The source. If `atOnce` is true, it is loaded unless it was loaded before. */
export function useSource(name: string, { atOnce }: { atOnce: boolean }): LoadedSource {
  const client = useThreadholdClient();
  const { data, error, isFetching, dataUpdatedAt, refetch } = useQuery({
    queryKey: ["source", name],
    queryFn: ({ signal }) => client.definitions.sources.get(name, { signal }),
    enabled: atOnce,
    staleTime: Infinity,
    gcTime: Infinity,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  return { state: data, error, isLoading: isFetching, loadedAt: dataUpdatedAt * 1000, load: () => void refetch() };
}
