// Which folders of the tree are open. What the page shows, and those on the way to it, open by themselves; opened ones are asked for.

import { useCallback, useEffect, useState } from "react";

import type { FilePlace } from "../file-address.ts";
import { foldersAbove, parentOf } from "../path.ts";
import type { Folder, FolderCache } from "./folder-cache.ts";

/** Paths of the open ones, and what opens and closes one. */
export function useOpenFolders(
  { cache, folders }: { cache: FolderCache; folders: ReadonlyMap<string, Folder> },
  { path, folder }: FilePlace,
): [ReadonlySet<string>, (path: string, open: boolean) => void] {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const set = useCallback(
    (one: string, isOpen: boolean) => {
      if (isOpen) cache.open(one);
      setOpen((before) => {
        const next = new Set(before);
        if (isOpen) next.add(one);
        else next.delete(one);
        return next;
      });
    },
    [cache],
  );
  useEffect(() => {
    for (const above of foldersAbove(path)) set(above, true);
    if (folder && path !== "/") set(path, true);
  }, [path, folder, set]);
  // One that went and came back is asked for again
  useEffect(() => {
    for (const one of open) {
      if (folders.has(one)) continue;
      const isThere = folders.get(parentOf(one))?.entries.some((entry) => entry.isDirectory && entry.path === one);
      if (isThere === true) cache.open(one);
    }
  }, [cache, folders, open]);
  return [open, set];
}
