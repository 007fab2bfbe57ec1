// The folders of a thread for the page: loaded when they are opened, and updated by the thread's subscription.

import { useEffect, useMemo } from "react";
import { ThreadholdClientError } from "threadhold/client";
import type { ThreadHandle } from "threadhold/client";

import { useStore } from "../../kit/create-store.ts";
import { FolderCache } from "./folder-cache.ts";
import type { Folder } from "./folder-cache.ts";

/** Whether an error means that a file or folder does not exist. */
export function isGone(error: unknown): boolean {
  return error instanceof ThreadholdClientError && error.code === "file_not_found";
}

/** The cache, and its folders. */
export function useFolders(handle: ThreadHandle): { cache: FolderCache; folders: ReadonlyMap<string, Folder> } {
  const cache = useMemo(
    () =>
      new FolderCache({
        list: (path) => handle.files.list(path),
        isGone,
        // Once per frame. A hidden page has no frames, so it calls back when it is visible again.
        soon: (run) => void requestAnimationFrame(run),
      }),
    [handle],
  );
  const folders = useStore(cache);
  useEffect(() => {
    cache.open("/");
    const leave = [
      handle.on("file_changed", ({ path, file }) => cache.apply({ path, file })),
      // Events before the snapshot may be missing here.
      handle.on("snapshot", () => cache.reloadAll()),
    ];
    return () => {
      for (const one of leave) one();
    };
  }, [cache, handle]);
  return { cache, folders };
}
