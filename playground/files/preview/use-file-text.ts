// Loads the text of a file: the beginning first, and more on request. All parts are of one version: if the file is
// written meanwhile, its beginning is loaded again.

import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { FileRecord, ThreadHandle } from "threadhold/client";

import { textOf } from "./text-bytes.ts";

/** The number of bytes of one request. */
const partBytes = 256 * 1024;

/** The largest number of bytes that the page shows. */
export const mostShown = 8 * 1024 * 1024;

interface Part {
  bytes: Uint8Array;
  etag: string | null;
  next: number | null;
}

/** The loaded part of a text. */
export interface FileText {
  state: "loading" | "there" | "failed";
  /** Null if the bytes are not text. */
  text: string | null;
  /** The number of loaded bytes. */
  read: number;
  /** Loads more; null if the whole text is loaded. */
  more: (() => void) | null;
  reading: boolean;
  error: Error | null;
  retry: () => void;
}

/** The text. `file` is the current record; another version is loaded again. */
export function useFileText(handle: ThreadHandle, file: FileRecord): FileText {
  const { path, size, updatedAt } = file;
  const query = useInfiniteQuery({
    queryKey: ["files", handle.id, "text", path, size, updatedAt],
    initialPageParam: { at: 0, etag: null as string | null },
    queryFn: async ({ pageParam: { at, etag }, signal }): Promise<Part> => {
      const range = size === 0 ? undefined : `bytes=${at}-${Math.min(at + partBytes, size) - 1}`;
      const answer = await handle.files.download(path, { range, ifMatch: etag ?? undefined, signal });
      const bytes = new Uint8Array(await answer.arrayBuffer());
      const end = at + bytes.byteLength;
      return { bytes, etag: answer.headers.get("etag"), next: end < size && bytes.byteLength > 0 ? end : null };
    },
    getNextPageParam: ({ next, etag }) => (next === null || next >= mostShown ? undefined : { at: next, etag }),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 60_000,
  });
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = query;
  const text = useMemo(() => {
    const pages = data?.pages ?? [];
    return textOf(
      pages.map(({ bytes }) => bytes),
      pages.at(-1)?.next === null,
    );
  }, [data]);
  return {
    state: data !== undefined ? "there" : error === null ? "loading" : "failed",
    text,
    read: data?.pages.reduce((sum, { bytes }) => sum + bytes.byteLength, 0) ?? 0,
    more: hasNextPage ? () => void fetchNextPage() : null,
    reading: isFetching,
    error,
    retry: () => void refetch(),
  };
}
