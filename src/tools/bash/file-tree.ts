// The tree of files that one command of the shell reads and changes. A folder of the thread is read when the command lists it or uses a
// path in it, the content of a file when the command reads the file. Changes remain in memory until the command ends.

import type { FileRecord } from "#spec/index.ts";

/** Reads the files of the thread. */
export interface TreeSource {
  entries(folder: string): Promise<FileRecord[]>;
  read(path: string): Promise<Uint8Array>;
}

/** A file. `content` is null if it is the unchanged content of the thread's file `base`. */
export interface FileNode {
  type: "file";
  base: FileRecord | null;
  content: Uint8Array | null;
  mode: number;
  mtime: Date;
}

/** A folder. `base` is the path of the thread's folder from which its entries are read; null for a new folder. */
export interface FolderNode {
  type: "folder";
  base: string | null;
  /** Null until the folder is read. */
  entries: Map<string, TreeNode> | null;
  /** The entries that the thread's folder `base` had when they were read. */
  known: ReadonlyMap<string, FileRecord>;
  mode: number;
  mtime: Date;
}

export type TreeNode = FileNode | FolderNode;

/** A folder whose entries are read. */
export type OpenFolder = FolderNode & { entries: Map<string, TreeNode> };

/** The maximum number of bytes of a file that a command reads, of all contents that it writes, and of all contents that it copies. */
const readLimit = 16 * 1024 * 1024;
export const writeLimit = 32 * 1024 * 1024;

const mode = { file: 0o755, folder: 0o755 };

/** Creates an error in the form that commands of the shell recognise by its code. */
export function shellError(code: string, message: string, path: string): Error {
  return new Error(`${code}: ${message}, '${path}'`);
}

/** The names of an absolute path without `.` and `..`. */
export function namesOf(path: string): string[] {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return names;
}

export function createFile(content: Uint8Array): FileNode {
  return { type: "file", base: null, content, mode: mode.file, mtime: new Date() };
}

export function createFolder(): OpenFolder {
  return { type: "folder", base: null, entries: new Map(), known: new Map(), mode: mode.folder, mtime: new Date() };
}

/** The tree of files of one command. */
export class FileTree {
  readonly root: FolderNode = { ...createFolder(), base: "/", entries: null };
  readonly #source: TreeSource;
  #written = 0;

  constructor(source: TreeSource) {
    this.#source = source;
  }

  /** The node at a path; null if there is none. */
  async find(path: string): Promise<TreeNode | null> {
    let node: TreeNode = this.root;
    for (const name of namesOf(path)) {
      if (node.type === "file") return null;
      const next: TreeNode | undefined = (await this.open(node)).entries.get(name);
      if (next === undefined) return null;
      node = next;
    }
    return node;
  }

  /** Reads the entries of a folder. */
  async open(folder: FolderNode): Promise<OpenFolder> {
    if (folder.entries === null) {
      const records = folder.base === null ? [] : await this.#source.entries(folder.base);
      const known = records.map((record): [string, FileRecord] => [record.name, record]);
      folder.known = new Map(known);
      // Another operation of the command may have read the folder meanwhile, and changed it.
      folder.entries ??= new Map(known.map(([name, record]) => [name, nodeOf(record)]));
    }
    return Object.assign(folder, { entries: folder.entries });
  }

  /** Returns the folder that contains a path, and the last name of the path. Creates missing folders if `create` is true. */
  async parent(path: string, create = false): Promise<{ folder: OpenFolder; name: string }> {
    const names = namesOf(path);
    const name = names.pop();
    if (name === undefined) throw shellError("EBUSY", "resource busy or locked", path);
    let folder = await this.open(this.root);
    for (const each of names) {
      let next = folder.entries.get(each);
      if (next === undefined && create) folder.entries.set(each, (next = createFolder()));
      if (next === undefined) throw shellError("ENOENT", "no such file or directory", path);
      if (next.type === "file") throw shellError("ENOTDIR", "not a directory", path);
      folder = await this.open(next);
    }
    return { folder, name };
  }

  /** The content of a file. */
  async read(file: FileNode): Promise<Uint8Array> {
    if (file.content !== null || file.base === null) return file.content ?? new Uint8Array();
    if (file.base.size > readLimit)
      throw shellError("EFBIG", `file too large: a command reads ${readLimit} bytes`, file.base.path);
    return this.#source.read(file.base.path);
  }

  /** Replaces the content of a file, or creates it. */
  async write(path: string, content: Uint8Array): Promise<void> {
    const { folder, name } = await this.parent(path, true);
    const before = folder.entries.get(name);
    if (before?.type === "folder") throw shellError("EISDIR", "illegal operation on a directory", path);
    this.#written += content.byteLength - (before?.content?.byteLength ?? 0);
    if (this.#written > writeLimit) {
      throw shellError("ENOSPC", `no space left on device: a command writes ${writeLimit} bytes`, path);
    }
    const node = before ?? createFile(content);
    Object.assign(node, { content, mtime: new Date() });
    folder.entries.set(name, node);
  }

  /** Copies a node. The copy of a file shares the content of the file; the copy of a folder has copies of everything in the folder. */
  async copy(node: TreeNode): Promise<TreeNode> {
    if (node.type === "file") return { ...node, mtime: new Date() };
    const entries = new Map<string, TreeNode>();
    for (const [name, each] of (await this.open(node)).entries) entries.set(name, await this.copy(each));
    return { ...createFolder(), entries };
  }
}

function nodeOf(record: FileRecord): TreeNode {
  const mtime = new Date((record.updatedAt ?? 0) / 1000);
  return record.isDirectory
    ? { ...createFolder(), base: record.path, entries: null, mtime }
    : { type: "file", base: record, content: null, mode: mode.file, mtime };
}
