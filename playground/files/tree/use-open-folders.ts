// The open folders of the tree. The folder that the page shows and the folders above it are opened automatically. Open
// folders are loaded.

import { useCallback, useEffect, useState } from "react";

import type { FilePlace } from "../file-address.ts";
import { foldersAbove, parentOf } from "../path.ts";
import type { Folder, FolderCache } from "./folder-cache.ts";

/** The paths of the open folders, and the function that opens and closes one. */
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
  // A folder that was deleted and created again is loaded again.
  useEffect(() => {
    for (const one of open) {
      if (folders.has(one)) continue;
      const isThere = folders.get(parentOf(one))?.entries.some((entry) => entry.isDirectory && entry.path === one);
      if (isThere === true) cache.open(one);
    }
  }, [cache, folders, open]);
  return [open, set];
}
