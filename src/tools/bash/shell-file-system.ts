// The file system of a command: implements the interface of just-bash over the tree of the thread's files. A thread has no links and no
// permissions: links are refused, and modes and times are not stored after the command.

import type { CpOptions, FsStat, IFileSystem, MkdirOptions, RmOptions } from "just-bash/browser";

import { bytesToText, isBinary, toBytes } from "./byte-text.ts";
import type { Encoding } from "./byte-text.ts";
import { createFile, createFolder, namesOf, shellError } from "./file-tree.ts";
import type { FileTree, TreeNode } from "./file-tree.ts";
import type { WorkMeter } from "./work-meter.ts";

type DirectoryEntry = Awaited<ReturnType<NonNullable<IFileSystem["readdirWithFileTypes"]>>>[number];
type ByteText = Awaited<ReturnType<NonNullable<IFileSystem["readFileBytes"]>>>;

/**
 * System folders that do not exist for a command, even if the thread has files there. The shell looks up its commands in `/usr/bin`. If
 * this folder does not exist, the shell looks up commands only by name.
 */
const hidden = /^\/(?:dev|proc|usr\/bin)(?:\/|$)/;

/** Files without content. Content that is written to them is dropped. */
const emptyFiles = new Set(["/dev/null", "/dev/zero", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"]);

/** The file system of one command. */
export class ShellFileSystem implements IFileSystem {
  readonly #tree: FileTree;
  readonly #work: WorkMeter;
  /** The identities that `stat` returns. The shell's `cp` and `mv` compare them, so that they do not replace the file that they read. */
  readonly #identities = new WeakMap<TreeNode, string>();
  #nodes = 0;

  constructor(tree: FileTree, work: WorkMeter) {
    this.#tree = tree;
    this.#work = work;
  }

  async readFile(path: string, options?: Encoding): Promise<string> {
    const bytes = await this.readFileBuffer(path);
    return isBinary(options)
      ? bytesToText(bytes)
      : new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes);
  }

  async readFileBytes(path: string): Promise<ByteText> {
    // The shell represents bytes as a text with one character for each byte, under a type of its own.
    return bytesToText(await this.readFileBuffer(path)) as unknown as ByteText;
  }

  async readFileBuffer(path: string): Promise<Uint8Array> {
    const node = await this.#at(path, "open");
    if (node.type === "folder") throw shellError("EISDIR", "illegal operation on a directory, read", path);
    const bytes = await this.#tree.read(node);
    this.#work.read(bytes.byteLength);
    return bytes;
  }

  async writeFile(path: string, content: string | Uint8Array, options?: Encoding): Promise<void> {
    await this.#turn();
    if (this.#isDropped(path, "open")) return;
    await this.#tree.write(path, toBytes(content, options));
  }

  async appendFile(path: string, content: string | Uint8Array, options?: Encoding): Promise<void> {
    await this.#turn();
    if (this.#isDropped(path, "open")) return;
    const node = await this.#tree.find(path);
    const before = node?.type === "file" ? await this.#tree.read(node) : new Uint8Array();
    const added = toBytes(content, options);
    const whole = new Uint8Array(before.byteLength + added.byteLength);
    whole.set(before);
    whole.set(added, before.byteLength);
    this.#work.read(added.byteLength);
    this.#work.copy(before.byteLength);
    await this.#tree.write(path, whole);
  }

  async exists(path: string): Promise<boolean> {
    return (await this.#find(path)) !== null;
  }

  async stat(path: string): Promise<FsStat> {
    const node = await this.#at(path, "stat");
    return {
      isFile: node.type === "file",
      isDirectory: node.type === "folder",
      isSymbolicLink: false,
      mode: node.mode,
      size: node.type === "folder" ? 0 : (node.content?.byteLength ?? node.base?.size ?? 0),
      mtime: node.mtime,
      identity: this.#identityOf(node),
    };
  }

  lstat(path: string): Promise<FsStat> {
    return this.stat(path);
  }

  async mkdir(path: string, { recursive = false }: MkdirOptions = {}): Promise<void> {
    const found = await this.#find(path);
    if (found !== null) {
      if (recursive && found.type === "folder") return;
      throw shellError("EEXIST", "file already exists, mkdir", path);
    }
    assertVisible(path, "mkdir");
    const { folder, name } = await this.#tree.parent(path, recursive);
    folder.entries.set(name, createFolder());
  }

  async readdir(path: string): Promise<string[]> {
    return (await this.readdirWithFileTypes(path)).map(({ name }) => name);
  }

  async readdirWithFileTypes(path: string): Promise<DirectoryEntry[]> {
    const node = await this.#at(path, "scandir");
    if (node.type === "file") throw shellError("ENOTDIR", "not a directory, scandir", path);
    const { entries } = await this.#tree.open(node);
    return [...entries]
      .map(([name, { type }]) => ({
        name,
        isFile: type === "file",
        isDirectory: type === "folder",
        isSymbolicLink: false,
      }))
      .toSorted((first, second) => (first.name < second.name ? -1 : 1));
  }

  async rm(path: string, { recursive = false, force = false }: RmOptions = {}): Promise<void> {
    const node = await this.#find(path);
    if (node === null && force) return;
    if (node === null) throw shellError("ENOENT", "no such file or directory, rm", path);
    assertVisible(path, "rm");
    if (node.type === "folder" && !recursive && (await this.#tree.open(node)).entries.size > 0) {
      throw shellError("ENOTEMPTY", "directory not empty, rm", path);
    }
    const { folder, name } = await this.#tree.parent(path);
    folder.entries.delete(name);
  }

  async cp(from: string, to: string, { recursive = false }: CpOptions = {}): Promise<void> {
    const node = await this.#at(from, "cp");
    assertVisible(to, "cp");
    if (node.type === "folder" && !recursive) throw shellError("EISDIR", "is a directory, cp", from);
    if (isWithin(to, from)) throw shellError("EINVAL", "cannot copy a directory into itself, cp", from);
    const existing = await this.#find(to);
    if (node.type === "folder" && existing?.type === "folder") {
      for (const name of (await this.#tree.open(node)).entries.keys()) {
        await this.cp(`${from}/${name}`, `${to}/${name}`, { recursive });
      }
      return;
    }
    await this.#put(to, await this.#tree.copy(node), "cp");
  }

  async mv(from: string, to: string): Promise<void> {
    const node = await this.#at(from, "mv");
    assertVisible(from, "mv");
    assertVisible(to, "mv");
    if (pathOf(from) === pathOf(to)) return;
    if (isWithin(to, from)) throw shellError("EINVAL", "cannot move a directory into itself, mv", from);
    await this.#put(to, node, "mv");
    const { folder, name } = await this.#tree.parent(from);
    folder.entries.delete(name);
  }

  async chmod(path: string, mode: number): Promise<void> {
    (await this.#at(path, "chmod")).mode = mode;
  }

  async utimes(path: string, _accessed: Date, modified: Date): Promise<void> {
    (await this.#at(path, "utimes")).mtime = modified;
  }

  async symlink(_target: string, path: string): Promise<void> {
    throw shellError("EPERM", "operation not permitted: the files of a thread have no links, symlink", path);
  }

  async link(from: string, to: string): Promise<void> {
    throw shellError("EPERM", `operation not permitted: the files of a thread have no links, link '${from}'`, to);
  }

  async readlink(path: string): Promise<string> {
    await this.#at(path, "readlink");
    throw shellError("EINVAL", "invalid argument, readlink", path);
  }

  async realpath(path: string): Promise<string> {
    await this.#at(path, "realpath");
    return pathOf(path);
  }

  resolvePath(base: string, path: string): string {
    return pathOf(path.startsWith("/") ? path : `${base}/${path}`);
  }

  /** The interface permits an empty list. A complete list would need a read of every folder. */
  getAllPaths(): string[] {
    return [];
  }

  #identityOf(node: TreeNode): string {
    const identity = this.#identities.get(node) ?? String((this.#nodes += 1));
    this.#identities.set(node, identity);
    return identity;
  }

  async #find(path: string): Promise<TreeNode | null> {
    await this.#turn();
    const at = pathOf(path);
    if (emptyFiles.has(at)) return createFile(new Uint8Array());
    return hidden.test(at) ? null : this.#tree.find(at);
  }

  async #at(path: string, operation: string): Promise<TreeNode> {
    const node = await this.#find(path);
    if (node === null) throw shellError("ENOENT", `no such file or directory, ${operation}`, path);
    return node;
  }

  /** Puts a node at a path. A file replaces a file, and a folder replaces an empty folder; any other replacement throws. */
  async #put(path: string, node: TreeNode, operation: string): Promise<void> {
    const { folder, name } = await this.#tree.parent(path, true);
    const existing = folder.entries.get(name);
    if (existing?.type === "folder") {
      if (node.type === "file") throw shellError("EISDIR", `illegal operation on a directory, ${operation}`, path);
      if ((await this.#tree.open(existing)).entries.size > 0) {
        throw shellError("ENOTEMPTY", `directory not empty, ${operation}`, path);
      }
    }
    if (existing?.type === "file" && node.type === "folder") {
      throw shellError("ENOTDIR", `not a directory, ${operation}`, path);
    }
    folder.entries.set(name, node);
  }

  #isDropped(path: string, operation: string): boolean {
    if (emptyFiles.has(pathOf(path))) return true;
    assertVisible(path, operation);
    return false;
  }

  async #turn(): Promise<void> {
    if (this.#work.isDue()) await this.#work.turn();
    this.#work.throwIfExceeded();
  }
}

function pathOf(path: string): string {
  return `/${namesOf(path).join("/")}`;
}

function isWithin(path: string, folder: string): boolean {
  return `${pathOf(path)}/`.startsWith(`${pathOf(folder)}/`) && pathOf(path) !== pathOf(folder);
}

function assertVisible(path: string, operation: string): void {
  if (hidden.test(pathOf(path))) throw shellError("EACCES", `permission denied, ${operation}`, path);
}
