// The folders of a thread in a page: asked for as they are opened, changed by what the thread's subscription tells.

import { useEffect, useMemo } from "react";
import { ThreadholdClientError } from "threadhold/client";
import type { ThreadHandle } from "threadhold/client";

import { useStore } from "../../kit/create-store.ts";
import { FolderCache } from "./folder-cache.ts";
import type { Folder } from "./folder-cache.ts";

/** Whether a file or folder is not there. */
export function isGone(error: unknown): boolean {
  return error instanceof ThreadholdClientError && error.code === "file_not_found";
}

/** The cache, and what it knows. */
export function useFolders(handle: ThreadHandle): { cache: FolderCache; folders: ReadonlyMap<string, Folder> } {
  const cache = useMemo(
    () =>
      new FolderCache({
        list: (path) => handle.files.list(path),
        isGone,
        // Once a frame, and in a page that nobody looks at, which has no frames, when it is looked at.
        soon: (run) => void requestAnimationFrame(run),
      }),
    [handle],
  );
  const folders = useStore(cache);
  useEffect(() => {
    cache.open("/");
    const leave = [
      handle.on("file_changed", ({ path, file }) => cache.apply({ path, file })),
      // What happened before it was told to nobody here.
      handle.on("snapshot", () => cache.reloadAll()),
    ];
    return () => {
      for (const one of leave) one();
    };
  }, [cache, handle]);
  return { cache, folders };
}
