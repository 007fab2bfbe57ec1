// Converts the changes of a command to one batch: the differences between the tree and the thread's files. An entry (file or folder) that
// was only moved is moved in the thread, so that its bytes are not copied.

import type { FileEdit, FileRecord, FileWrite } from "#spec/index.ts";

import { shellError, writeLimit } from "./file-tree.ts";
import type { FileTree, FolderNode, TreeNode } from "./file-tree.ts";

/** The maximum number of files that are copied: a batch has at most so many changes. */
const mostCopies = 5000;

/** A moved entry: the thread has it at the path `from`, the tree at `to`. */
interface Move {
  from: string;
  to: string;
  node: TreeNode;
}

/** The differences, without an order. */
interface Differences {
  /** Paths at which the thread has an entry, and the tree has none or another one. The value is true if the thread's entry is a folder. */
  gone: Map<string, boolean>;
  moves: Move[];
  /** New folders without entries, and folders that lost their last entry. */
  folders: string[];
  writes: FileWrite[];
  /** The copies among the writes. Their contents are all in memory until they are stored. */
  copies: { files: number; bytes: number };
}

/** Returns the batch, in an order in which each change can be made. */
export async function changesOf(tree: FileTree): Promise<FileEdit[]> {
  const found: Differences = { gone: new Map(), moves: [], folders: [], writes: [], copies: { files: 0, bytes: 0 } };
  compare(tree.root, "/", found);
  const { gone, folders, writes } = found;
  const moved: FileEdit[] = [];
  const moves = await onlyMoves(tree, found);
  const sources = moves.map(({ from }) => from);
  while (moves.length > 0) {
    // A move needs the deletion of what is at its target. This deletion must not delete the source of a later move. In a cycle of moves,
    // one of them becomes a copy.
    const next = moves.find((move) =>
      goneAbove(gone, move.to).every((path) => !moves.some(({ from }) => isIn(from, path))),
    );
    const move = next ?? moves[0];
    if (move === undefined) break;
    moves.splice(moves.indexOf(move), 1);
    if (next === undefined) await addCopy(tree, move, found);
    else {
      for (const path of goneAbove(gone, move.to)) moved.push(...deletion(path, gone, sources));
      moved.push({ move: move.from, to: move.to });
      gone.delete(move.from);
    }
  }
  const deleted = [...gone.keys()].flatMap((path) => deletion(path, gone, sources));
  return [...moved, ...deleted, ...folders.map((folder) => ({ folder })), ...writes];
}

/** Compares a folder of the tree with the folder of the thread at its path. */
function compare(folder: FolderNode, path: string, found: Differences): void {
  const isSame = folder.base === path;
  if (folder.entries === null) return;
  const known: ReadonlyMap<string, FileRecord> = isSame ? folder.known : new Map();
  for (const [name, record] of known) {
    if (!folder.entries.has(name)) found.gone.set(record.path, record.isDirectory);
  }
  if (folder.entries.size === 0 && (!isSame || known.size > 0) && path !== "/") found.folders.push(path);
  for (const [name, node] of folder.entries)
    compareEntry({ node, path: join(path, name), record: known.get(name) }, found);
}

/** An entry of the tree, and the record of the thread's entry at the same path. */
interface Pair {
  node: TreeNode;
  path: string;
  record: FileRecord | undefined;
}

function compareEntry({ node, path, record }: Pair, found: Differences): void {
  if (node.type === "file" && node.content !== null) {
    const isFile = record?.isDirectory === false;
    if (record !== undefined && !isFile) found.gone.set(path, true);
    found.writes.push({
      path,
      data: node.content,
      expected: isFile ? record : null,
      ...(isFile ? keptOf(record) : {}),
    });
    return;
  }
  const from = node.type === "file" ? node.base?.path : node.base;
  if (from === path) {
    if (node.type === "folder") compare(node, path, found);
    return;
  }
  if (record !== undefined) found.gone.set(path, record.isDirectory);
  if (typeof from === "string" && isUntouched(node)) found.moves.push({ from, to: path, node });
  else if (node.type === "folder") compare(node, path, found);
}

/** Whether the content of a node is still the content of the thread's entry from which the node was read. */
function isUntouched(node: TreeNode): boolean {
  if (node.type === "file") return node.content === null;
  const { base, entries, known } = node;
  if (entries === null) return true;
  if (base === null || entries.size !== known.size) return false;
  return [...entries].every(([name, entry]) => {
    const from = entry.type === "file" ? entry.base?.path : entry.base;
    return from === join(base, name) && isUntouched(entry);
  });
}

/**
 * Returns the moves of entries that are no longer at their source, one for each source. The other moves become writes of copies: also those of
 * an entry in a folder that is moved as a whole, because the entry remains in the folder.
 */
async function onlyMoves(tree: FileTree, found: Differences): Promise<Move[]> {
  const targets = new Set(found.moves.map(({ to }) => to));
  const sources = new Set(found.moves.map(({ from }) => from));
  const moves = new Map<string, Move>();
  for (const move of found.moves) {
    const { from } = move;
    const isGone = targets.has(from) || found.gone.has(from) || (await tree.find(from)) === null;
    const isFree = isGone && !moves.has(from) && !foldersAbove(from).some((folder) => sources.has(folder));
    if (isFree) moves.set(from, move);
    else await addCopy(tree, move, found);
  }
  return [...moves.values()];
}

/** The folders above a path, without the root. */
function foldersAbove(path: string): string[] {
  return [...path.matchAll(/\//g)].slice(1).map(({ index }) => path.slice(0, index));
}

async function addCopy(tree: FileTree, { to, node }: Move, found: Differences): Promise<void> {
  if (node.type === "file") {
    if (found.gone.get(to) === false) found.gone.delete(to);
    const { copies } = found;
    copies.files += 1;
    copies.bytes += node.content?.byteLength ?? node.base?.size ?? 0;
    if (copies.files > mostCopies || copies.bytes > writeLimit) {
      throw shellError("ENOSPC", `a command copies at most ${mostCopies} files and ${writeLimit} bytes`, to);
    }
    found.writes.push({ path: to, data: await tree.read(node), ...(node.base === null ? {} : keptOf(node.base)) });
    return;
  }
  const { entries } = await tree.open(node);
  if (entries.size === 0) found.folders.push(to);
  for (const [name, entry] of entries) await addCopy(tree, { from: "", to: join(to, name), node: entry }, found);
}

/**
 * Returns the changes that delete an entry of the thread. If a move out of a folder has already deleted the folder, the first change
 * creates it again, so that the deletion is possible.
 */
function deletion(path: string, gone: Map<string, boolean>, sources: readonly string[]): FileEdit[] {
  const mayBeDeleted = gone.get(path) === true && sources.some((from) => isIn(from, path));
  gone.delete(path);
  return [...(mayBeDeleted ? [{ folder: path }] : []), { delete: path }];
}

/** The paths in `gone` that are equal to `path`, or are a folder above it. */
function goneAbove(gone: ReadonlyMap<string, boolean>, path: string): string[] {
  return [...gone.keys()].filter((each) => isIn(path, each));
}

/** Whether a path is equal to a folder's path, or below it. */
function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function join(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}

/** Returns the fields of a file that a write keeps. */
function keptOf({ mimeType, metadata }: FileRecord): Pick<FileWrite, "mimeType" | "metadata"> {
  return { mimeType, ...(metadata === undefined ? {} : { metadata }) };
}
