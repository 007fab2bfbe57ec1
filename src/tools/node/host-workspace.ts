// The files of a folder of this machine, as the coding tools use them. A file is written under another name and then renamed, so no reader
// sees a part of it.

import { constants } from "node:fs";
import type { BigIntStats } from "node:fs";
import { lstat, mkdir, open, opendir, readFile, rename, rm, stat } from "node:fs/promises";
import path from "node:path";

import { refuse, ThreadholdError } from "#contract/error.ts";
import { globMatcher } from "#core/files/glob.ts";
import { linePattern, matchingLines } from "#core/files/line-search.ts";
import { SearchWork } from "#core/files/search-work.ts";

import { globIn } from "../files/workspace.ts";
import type { OpenWorkspace, Workspace, WorkspaceFile, WorkspaceSearch, WorkspaceWrite } from "../files/workspace.ts";
import { HostFolder, named, namedError, nullIfAbsent } from "./host-folder.ts";

/** The maximum number of bytes of a file that is searched. Larger files are left out. */
const searchedBytes = 64 * 1024 * 1024;

/** The maximum number of paths or lines in a result. */
const mostResults = 1000;

/** The files of a folder. `root` is its path on this machine. */
export function hostWorkspace(root: string): OpenWorkspace {
  const workspace = new HostWorkspace(new HostFolder(root));
  return () => workspace;
}

class HostWorkspace implements Workspace {
  readonly #folder: HostFolder;

  constructor(folder: HostFolder) {
    this.#folder = folder;
  }

  async stat(given: string): Promise<WorkspaceFile | null> {
    const real = await this.#folder.existing(given);
    const facts = real === null ? null : await nullIfAbsent(named(given, stat(real, { bigint: true })));
    if (facts === null) return null;
    // A read of a pipe or a device might not end.
    if (!facts.isFile() && !facts.isDirectory()) {
      throw refuse("unsupported_media_type", `${given} is neither a file nor a folder.`);
    }
    return {
      path: this.#folder.shown(given),
      size: Number(facts.size),
      isDirectory: facts.isDirectory(),
      version: versionOf(facts),
    };
  }

  async *read(file: WorkspaceFile, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const handle = await this.#open(file);
    try {
      for await (const piece of handle.createReadStream({ autoClose: false })) {
        signal.throwIfAborted();
        yield piece as Uint8Array;
      }
    } catch (thrown) {
      throw namedError(file.path, thrown);
    } finally {
      await handle.close();
    }
  }

  async image(file: WorkspaceFile, mimeType: string): ReturnType<Workspace["image"]> {
    const handle = await this.#open(file);
    try {
      const data = await named(file.path, readFile(handle));
      return { content: [{ type: "image", data: data.toString("base64"), mimeType }] };
    } finally {
      await handle.close();
    }
  }

  async write({ path: given, text, expected }: WorkspaceWrite): Promise<void> {
    const target = await this.#folder.writable(given);
    const folder = path.dirname(target);
    try {
      await mkdir(folder, { recursive: true });
    } catch (thrown) {
      if (!["EEXIST", "ENOTDIR"].includes((thrown as { code: string }).code)) throw namedError(given, thrown);
      throw refuse("conflict", `${given} cannot be written: a folder above it is a file.`);
    }
    await this.#folder.assertInside(folder, given);
    const before = await nullIfAbsent(named(given, lstat(target, { bigint: true })));
    // A rename would replace the file also without this permission.
    if (before !== null && (before.mode & 0o222n) === 0n) {
      throw refuse("forbidden", `${given} is read-only. Change its permissions, or write another file.`);
    }
    const temporary = path.join(folder, `.${crypto.randomUUID()}.tmp`);
    try {
      await named(given, writeNew(temporary, text, before === null ? null : Number(before.mode & 0o777n)));
      await this.#folder.assertInside(folder, given);
      await assertUnchanged(target, given, expected);
      await named(given, rename(temporary, target));
    } catch (thrown) {
      await rm(temporary, { force: true });
      throw thrown;
    }
  }

  async list({
    pattern,
    depth,
    ...options
  }: WorkspaceSearch & { pattern?: string | undefined; depth?: number | undefined }): ReturnType<Workspace["list"]> {
    const matches = globMatcher(globIn(options.path, pattern ?? "**"));
    const paths: string[] = [];
    for await (const file of this.#files(options, { depth })) if (matches(file)) paths.push(file);
    const limit = Math.min(options.limit, mostResults);
    return { paths: paths.sort().slice(0, limit), total: paths.length, truncated: paths.length > limit };
  }

  async search(
    pattern: string,
    { include, ...options }: WorkspaceSearch & { include?: string | undefined },
  ): ReturnType<Workspace["search"]> {
    const compiled = linePattern(pattern);
    const at = await this.stat(options.path);
    const matches =
      include === undefined || at?.isDirectory === false ? null : globMatcher(globIn(options.path, include));
    const files: string[] = [];
    let truncated = false;
    const onUnreadable = () => (truncated = true);
    if (at?.isDirectory === false) files.push(at.path);
    else {
      for await (const file of this.#files(options, { onUnreadable })) {
        if (matches === null || matches(file)) files.push(file);
      }
    }
    const limit = Math.min(options.limit, mostResults);
    const lines: Awaited<ReturnType<Workspace["search"]>>["lines"] = [];
    const work = new SearchWork(options.signal);
    for (const file of files.sort()) {
      const found = await this.stat(file);
      if (found === null || found.isDirectory) continue;
      if (found.size > searchedBytes || !work.allows(found.size, compiled.programSize())) {
        truncated = true;
        continue;
      }
      // One line more shows that there are further lines.
      const search = { pattern: compiled, limit: limit + 1 - lines.length, work };
      const result = await readable(matchingLines(this.#chunks(found, options.signal), search), onUnreadable);
      truncated ||= result?.cut ?? false;
      for (const { line, content } of result?.matches ?? []) lines.push({ path: file, line, text: content });
      if (lines.length > limit) return { lines: lines.slice(0, limit), truncated: true };
    }
    return { lines, truncated };
  }

  /** A folder does not store which call wrote a file. */
  wasWrittenBy(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async *#chunks(file: WorkspaceFile, signal: AbortSignal): AsyncGenerator<{ data: Uint8Array }> {
    for await (const data of this.read(file, signal)) yield { data };
  }

  /** Opens a file. The real path is checked before, and the file is not opened if it has become a link since. */
  async #open({ path: shown }: WorkspaceFile) {
    const real = await this.#folder.existing(shown);
    const absent = refuse("file_not_found", `${shown} does not exist.`);
    if (real === null) throw absent;
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const handle = await nullIfAbsent(named(shown, open(real, flags)));
    if (handle === null) throw absent;
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
    throw refuse("unsupported_media_type", `${shown} is no file.`);
  }

  /**
   * The files below a folder. Links are left out, so that no file appears twice and no loop is followed. So are folders that the user of this
   * process cannot read.
   */
  async *#files(
    { path: given, exclude, signal }: WorkspaceSearch,
    { depth = Infinity, onUnreadable = () => {} }: { depth?: number | undefined; onUnreadable?: () => void },
  ): AsyncGenerator<string> {
    const folders = [{ shown: this.#folder.shown(given), level: 1 }];
    for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
      const { shown, level } = next;
      signal.throwIfAborted();
      const real = await this.#folder.existing(shown);
      const entries = real === null ? null : await readable(named(shown, opendir(real)), onUnreadable);
      if (entries === null) continue;
      for await (const entry of entries) {
        signal.throwIfAborted();
        const at = `${shown === "/" ? "" : shown}/${entry.name}`;
        if (entry.isFile()) yield at;
        else if (entry.isDirectory() && level < depth && !exclude.includes(entry.name)) {
          folders.push({ shown: at, level: level + 1 });
        }
      }
    }
  }
}

/** The result of an operation; null if the entry is absent now, or the user of this process may not read it. */
async function readable<T>(work: Promise<T>, onUnreadable: () => void): Promise<T | null> {
  try {
    return await nullIfAbsent(work);
  } catch (thrown) {
    if (!(thrown instanceof ThreadholdError)) throw thrown;
    if (thrown.code === "file_not_found") return null;
    if (thrown.code !== "forbidden") throw thrown;
    onUnreadable();
    return null;
  }
}

/** Writes a new file. `mode` has the permissions of the file that it replaces. */
async function writeNew(file: string, text: string, mode: number | null): Promise<void> {
  const handle = await open(file, "wx", mode ?? 0o666);
  try {
    // The process may remove permissions from those that `open` receives (umask).
    if (mode !== null) await handle.chmod(mode);
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Identifies the content of a file by its inode, its size and its times. */
function versionOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs].join(" ");
}

async function assertUnchanged(target: string, given: string, expected: WorkspaceFile | undefined): Promise<void> {
  if (expected === undefined) return;
  const facts = await nullIfAbsent(stat(target, { bigint: true }));
  if (facts !== null && versionOf(facts) === expected.version) return;
  throw refuse(
    "conflict",
    `${given} was changed after it was read. Read it again, and make the change on its current content.`,
  );
}
