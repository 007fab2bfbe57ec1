// What a thread has used, counted by the server: asked for again when a run ends.

import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";

import type { Thread, ThreadHandle } from "#client/index.ts";

/** The record as of the last run's end; undefined until it came. */
export function useFigures(handle: ThreadHandle): Thread | undefined {
  const { data, refetch } = useQuery({
    queryKey: ["thread", handle.id],
    queryFn: ({ signal }) => handle.get({ signal }),
  });
  useEffect(() => handle.on("run_end", () => void refetch()), [handle, refetch]);
  return data;
}
