// The text of a file, the beginning first and more when it is asked for. Parts are of one version: when the file is written meanwhile
// its beginning is read again.

import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { FileRecord, ThreadHandle } from "threadhold/client";

import { textOf } from "./text-bytes.ts";

/** Bytes that are read at a time. */
const partBytes = 256 * 1024;

/** Bytes that are shown at most; a page is no place for more of them. */
export const mostShown = 8 * 1024 * 1024;

interface Part {
  bytes: Uint8Array;
  etag: string | null;
  next: number | null;
}

/** A text as far as it was read. */
export interface FileText {
  state: "loading" | "there" | "failed";
  /** Null where the bytes are no text. */
  text: string | null;
  /** Bytes that were read. */
  read: number;
  /** More can be read; null where the whole is there. */
  more: (() => void) | null;
  reading: boolean;
  error: Error | null;
  retry: () => void;
}

/** The text. `file` is the record as it is now; another one reads again. */
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
