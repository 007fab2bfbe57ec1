// Converts the tree to the list of rows that is rendered and that the keys move in: the entries of an open folder
// follow it.

import type { FileRecord } from "threadhold/client";

import type { Folder } from "./folder-cache.ts";

/** A file or a folder. */
interface EntryRow {
  kind: "entry";
  key: string;
  record: FileRecord;
  /** The level, from 1. */
  level: number;
  /** Null for a file. */
  open: boolean | null;
  /** Its index among its siblings, from 1, and their number. */
  place: number;
  beside: number;
}

/** A text in place of an open folder's entries. */
export interface NoteRow {
  kind: "note";
  key: string;
  level: number;
  /** The path of the folder. */
  path: string;
  says: "loading" | "empty" | "failed";
  error: Error | null;
}

export type TreeRow = EntryRow | NoteRow;

export interface Tree {
  folders: ReadonlyMap<string, Folder>;
  /** Paths of open folders. */
  open: ReadonlySet<string>;
  /** Paths that are hidden, because they are about to be deleted. */
  hidden: ReadonlySet<string>;
}

/** The rows below the root. */
export function rowsOf(tree: Tree): TreeRow[] {
  const rows: TreeRow[] = [];
  addBelow(rows, tree, { path: "/", level: 1 });
  return rows;
}

function addBelow(rows: TreeRow[], tree: Tree, { path, level }: { path: string; level: number }): void {
  const folder = tree.folders.get(path);
  const entries = (folder?.entries ?? []).filter((entry) => !tree.hidden.has(entry.path));
  if (entries.length === 0) {
    const says =
      folder === undefined || folder.state === "loading" ? "loading" : folder.state === "there" ? "empty" : "failed";
    rows.push({ kind: "note", key: `${path}/`, level, path, says, error: folder?.error ?? null });
  }
  for (const [at, record] of entries.entries()) {
    const open = record.isDirectory ? tree.open.has(record.path) : null;
    rows.push({ kind: "entry", key: record.path, record, level, open, place: at + 1, beside: entries.length });
    if (open === true) addBelow(rows, tree, { path: record.path, level: level + 1 });
  }
}
