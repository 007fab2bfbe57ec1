// Changes of several entries in one transaction: moves of folders, and batches of changes. A batch is made completely or not at all. The
// bytes of its files are stored before the transaction, like those of a single write.

import { refuse } from "#contract/error.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { FileEdit } from "#core/ports/thread-file-port.ts";
import type { FileRecord } from "#spec/index.ts";

import type { Change, FileChange } from "./file-change.ts";
import { filePath, foldersAbove, depthLimit, pathLimit } from "./file-path.ts";
import type { FilePath } from "./file-path.ts";
import { fileRecord } from "./file-record.ts";
import type { FileRow, FileRows } from "./file-rows.ts";
import { folderRow, makeFolders } from "./file-writer.ts";
import type { FileWriter, PreparedFile } from "./file-writer.ts";

/** Maximal entries below a folder that is moved or deleted as a whole, and bytes in their rows: all of them change in one transaction. */
const treeLimit = { entries: 20_000, rowBytes: 256 * 1024 * 1024 };

/** Maximal changes of a batch, and bytes of its files, which are in memory together. */
const batchLimit = { changes: 5000, bytes: 32 * 1024 * 1024 };

/** Entries read from a folder at a time. */
const page = 500;

/** Dependencies of the changes. */
export interface EditParts {
  rows: FileRows;
  writer: FileWriter;
  clock: Clock;
  change: Change;
  onGarbage: () => void;
}

/** The outcome of one change; part of the caller's transaction. `leftover`: an object remains in the bucket. */
interface Edited {
  record: FileRecord | null;
  events: readonly FileChange[];
  leftover: boolean;
}

/** Makes a batch of changes. An abort of the signal before the transaction prevents all of them. */
export async function editFiles(
  parts: EditParts,
  edits: readonly FileEdit[],
  signal?: AbortSignal,
): Promise<(FileRecord | null)[]> {
  const { writer, change, onGarbage } = parts;
  assertBatchFits(edits);
  const prepared: PreparedFile[] = [];
  try {
    for (const edit of edits) {
      if (edit.type !== "write") continue;
      const at = namedPath(edit.path);
      prepared.push(await writer.prepare(at, edit.body, edit.facts));
    }
    signal?.throwIfAborted();
    // If the changes succeed, no await follows, so the caller reads the outcome before another timer can fire.
    const outcomes = change(() => {
      const files = prepared.values();
      const result = edits.map((edit) => editEntry(parts, edit, files));
      return { result, events: result.flatMap(({ events }) => events) };
    });
    if (outcomes.some(({ leftover }) => leftover)) onGarbage();
    return outcomes.map(({ record }) => record);
  } catch (thrown) {
    for (const each of prepared) await writer.discard(each);
    throw thrown;
  } finally {
    for (const each of prepared) writer.settle(each);
  }
}

export function moveFile(parts: EditParts, from: string, to: string): FileRecord {
  const ends = { from: namedPath(from), to: namedPath(to) };
  return parts.change(() => {
    const { record, events } = moveEntry(parts, ends.from, ends.to);
    return { result: record, events };
  });
}

/**
 * Creates a folder; part of the caller's transaction. An existing implied folder becomes a created one, which remains when its last entry
 * is deleted.
 */
export function putFolder(parts: EditParts, at: FilePath): Edited & { record: FileRecord } {
  const { rows, clock, writer } = parts;
  const before = rows.find(at.parent, at.name);
  if (before?.is_folder === false) throw refuse("conflict", `${at.path} is a file.`);
  if (before !== null && before.body.implied !== true)
    return { record: fileRecord(before), events: [], leftover: false };
  writer.assertBelowFolders(at);
  const row = folderRow(at, { now: clock.now(), implied: false });
  makeFolders(rows, at, { now: clock.now(), implied: true });
  rows.put(row, null);
  const record = fileRecord(row);
  // An implied folder was visible before, so its creation is no event.
  return { record, events: before === null ? [{ path: at.path, file: record }] : [], leftover: false };
}

/** Deletes the implied folders above a path that are empty now. */
export function dropImplied(rows: FileRows, at: FilePath): void {
  for (const folder of foldersAbove(at).reverse()) {
    const row = rows.find(folder.parent, folder.name);
    if (row?.body.implied !== true || rows.children(folder.path, { after: null, limit: 1 }).length > 0) return;
    rows.remove(folder.parent, folder.name);
  }
}

function editEntry(parts: EditParts, edit: FileEdit, files: Iterator<PreparedFile, undefined>): Edited {
  switch (edit.type) {
    case "write": {
      const file = files.next().value;
      if (file === undefined) throw new TypeError("A written file of the batch was not prepared.");
      const { row, leftover } = parts.writer.put(file);
      const record = fileRecord(row);
      return { record, events: [{ path: record.path, file: record }], leftover };
    }
    case "folder":
      return putFolder(parts, namedPath(edit.path));
    case "move":
      return moveEntry(parts, namedPath(edit.from), namedPath(edit.path));
    case "remove":
      return removeEntry(parts, namedPath(edit.path));
  }
}

function moveEntry({ rows, writer, clock }: EditParts, from: FilePath, to: FilePath): Edited & { record: FileRecord } {
  const row = find(rows, from);
  if (from.path === to.path) return { record: fileRecord(row), events: [], leftover: false };
  const existing = rows.find(to.parent, to.name);
  if (existing !== null) {
    throw refuse("conflict", `${to.path} exists already. Delete it first, or move ${from.path} to another path.`);
  }
  if (to.path.startsWith(`${from.path}/`)) {
    throw refuse("conflict", `${from.path} cannot be moved to ${to.path}, which is below itself.`);
  }
  writer.assertBelowFolders(to);
  if (row.is_folder) assertTreeFits(rows, from, to);
  makeFolders(rows, to, { now: clock.now(), implied: true });
  rows.moveTree(from, to);
  dropImplied(rows, from);
  const record = fileRecord({ ...row, parent: to.parent, name: to.name });
  return {
    record,
    events: [
      { path: from.path, file: null },
      { path: to.path, file: record },
    ],
    leftover: false,
  };
}

function removeEntry({ rows, writer }: EditParts, at: FilePath): Edited {
  const row = find(rows, at);
  let leftover = false;
  if (row.is_folder) {
    assertTreeFits(rows, at, at);
    for (const file of filesBelow(rows, at)) leftover = writer.dropBytes(file) || leftover;
    rows.removeTree(at.path);
  } else leftover = writer.dropBytes(row);
  rows.remove(at.parent, at.name);
  dropImplied(rows, at);
  return { record: null, events: [{ path: at.path, file: null }], leftover };
}

function* filesBelow(rows: FileRows, { path }: FilePath): Generator<FileRow> {
  for (const span of [
    { from: path, to: `${path}\u0001` },
    { from: `${path}/`, to: `${path}0` },
  ]) {
    let after: FileRow | null = null;
    for (;;) {
      const found: FileRow[] = rows.files(span, { after, limit: page });
      yield* found;
      after = found.at(-1) ?? null;
      if (found.length < page) break;
    }
  }
}

/** Throws if the entries below a folder are too many for one transaction, or if their paths would be too long at another path. */
function assertTreeFits(rows: FileRows, from: FilePath, to: FilePath): void {
  const { entries, rowBytes, longestPath, depth } = rows.tree(from.path);
  if (entries > treeLimit.entries || rowBytes > treeLimit.rowBytes) {
    const message = `${from.path} holds ${entries} entries and ${rowBytes} bytes. At most ${treeLimit.entries} entries and ${treeLimit.rowBytes} bytes are moved or deleted at once; take its folders one by one.`;
    throw refuse("too_large", message, { limit: treeLimit.entries });
  }
  if (longestPath + byteLength(to.path) - byteLength(from.path) > pathLimit) {
    throw refuse("invalid_request", `A path below ${to.path} would have more than ${pathLimit} bytes.`);
  }
  if (depth + names(to) - names(from) > depthLimit) {
    throw refuse("invalid_request", `A path below ${to.path} would have more than ${depthLimit} names.`);
  }
}

function assertBatchFits(edits: readonly FileEdit[]): void {
  if (edits.length > batchLimit.changes) {
    const message = `A batch has at most ${batchLimit.changes} changes, and this one has ${edits.length}. Make several batches.`;
    throw refuse("too_large", message, { limit: batchLimit.changes });
  }
  const bytes = edits.reduce((sum, edit) => sum + (edit.type === "write" ? byteLength(edit.body) : 0), 0);
  if (bytes <= batchLimit.bytes) return;
  const message = `The files of a batch have at most ${batchLimit.bytes} bytes together, and these have ${bytes}. Write large files one by one.`;
  throw refuse("too_large", message, { limit: batchLimit.bytes });
}

function find(rows: FileRows, at: FilePath): FileRow {
  const row = rows.find(at.parent, at.name);
  if (row !== null) return row;
  throw refuse("file_not_found", `There is no file ${at.path} in this thread.`);
}

function namedPath(path: string): FilePath {
  const at = filePath(path);
  if (at.name === "") throw refuse("conflict", "The root cannot be written, moved or deleted.");
  return at;
}

function names({ path }: FilePath): number {
  return path.split("/").length - 1;
}

function byteLength(body: string | Uint8Array): number {
  return typeof body === "string" ? new TextEncoder().encode(body).byteLength : body.byteLength;
}
