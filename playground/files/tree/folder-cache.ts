// The loaded folders of a thread, kept up to date by events. A response may be older than an event that arrived while
// it was on its way, so such events are applied to it when it arrives.

import type { FileRecord } from "threadhold/client";

import { createStore } from "../../kit/create-store.ts";
import { foldersAbove, isWithin, nameOf, parentOf } from "../path.ts";

/** A folder. `entries` are sorted: folders first, then by name. */
export interface Folder {
  state: "loading" | "there" | "failed";
  entries: readonly FileRecord[];
  error: Error | null;
}

/** A change that an event reports. */
export interface FileChange {
  path: string;
  /** Null for a deleted file. */
  file: FileRecord | null;
}

/** What a cache needs from outside. */
export interface FolderPorts {
  /** Contract: rejects with `isGone` if there is no such folder. */
  list: (path: string) => Promise<FileRecord[]>;
  isGone: (error: unknown) => boolean;
  /** Calls back soon, once for everything that happens until then. */
  soon: (run: () => void) => void;
}

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

function compareEntries(one: FileRecord, other: FileRecord): number {
  if (one.isDirectory !== other.isDirectory) return one.isDirectory ? -1 : 1;
  return collator.compare(one.name, other.name) || (one.name < other.name ? -1 : Number(one.name > other.name));
}

/** The cache of one thread. */
export class FolderCache {
  readonly #ports: FolderPorts;
  readonly #store = createStore<ReadonlyMap<string, Folder>>(new Map());
  /** For each folder that is being loaded, the changes since its request. */
  readonly #asked = new Map<string, FileChange[]>();
  /** Folders to load again after the current request, whose response may be too old. */
  readonly #again = new Set<string>();
  readonly #folders = new Map<string, Folder>();
  #isScheduled = false;

  constructor(ports: FolderPorts) {
    this.#ports = ports;
  }

  /** All folders by path; the same map until something changes. */
  readonly get = this.#store.get;

  readonly subscribe = this.#store.subscribe;

  /** Loads a folder unless it is loaded. */
  open(path: string): void {
    if (this.#folders.get(path)?.state !== "there" && !this.#asked.has(path)) this.reload(path);
  }

  /** Loads everything again, because events may have been missed. */
  reloadAll(): void {
    for (const path of this.#folders.keys()) this.reload(path);
  }

  /** Loads a folder; its known entries stay until the response arrives. */
  reload(path: string): void {
    if (this.#asked.has(path)) return void this.#again.add(path);
    const changes: FileChange[] = [];
    this.#asked.set(path, changes);
    const known = this.#folders.get(path);
    if (known?.state !== "there") this.#put(path, { state: "loading", entries: [], error: null });
    this.#ports.list(path).then(
      (entries) => {
        this.#asked.delete(path);
        this.#put(path, { state: "there", entries: [...entries].sort(compareEntries), error: null });
        this.#dropMissing(path, known?.entries ?? []);
        // Each other open request recorded these changes itself, so they are not recorded again.
        for (const change of changes) this.#change(change);
        if (entries.length === 0 && known !== undefined && known.entries.length > 0) this.#reloadAbove(path);
        // A request that these changes caused is late enough to replace the repeated one.
        if (this.#again.delete(path) && !this.#asked.has(path)) this.reload(path);
      },
      (thrown: unknown) => {
        this.#asked.delete(path);
        if (this.#again.delete(path)) this.reload(path);
        if (this.#ports.isGone(thrown) && path !== "/") return this.#gone(path);
        const error = thrown instanceof Error ? thrown : new Error(String(thrown));
        const last = this.#folders.get(path);
        this.#put(path, last?.state === "there" ? last : { state: "failed", entries: [], error });
      },
    );
  }

  /** Applies the change of an event. */
  apply(change: FileChange): void {
    for (const [folder, changes] of this.#asked) if (isWithin(folder, change.path)) changes.push(change);
    this.#change(change);
  }

  #change({ path, file }: FileChange): void {
    if (file === null) {
      this.#remove(path);
      const left = this.#folders.get(parentOf(path));
      // An implicit folder disappears with its last file, and no event reports that.
      if (left === undefined || left.entries.length === 0) this.#reloadAbove(parentOf(path));
      return;
    }
    this.#insert(file);
    // The folders above a new file are created with it, and no event reports that.
    for (const folder of foldersAbove(path)) this.#insert(impliedFolder(folder), true);
  }

  #insert(file: FileRecord, onlyWhereMissing = false): void {
    const parent = parentOf(file.path);
    const folder = this.#folders.get(parent);
    if (folder?.state !== "there") return;
    const at = folder.entries.findIndex(({ path }) => path === file.path);
    if (at >= 0 && onlyWhereMissing) return;
    const others = at < 0 ? folder.entries : folder.entries.toSpliced(at, 1);
    this.#put(parent, { ...folder, entries: others.toSpliced(placeFor(others, file), 0, file) });
  }

  #remove(path: string): void {
    for (const known of this.#folders.keys()) if (known !== "/" && isWithin(path, known)) this.#folders.delete(known);
    const parent = parentOf(path);
    const folder = this.#folders.get(parent);
    if (folder !== undefined) {
      this.#put(parent, { ...folder, entries: folder.entries.filter((entry) => entry.path !== path) });
    }
    this.#schedule();
  }

  #gone(path: string): void {
    this.#remove(path);
    this.#reloadAbove(path);
  }

  #dropMissing(path: string, before: readonly FileRecord[]): void {
    const now = new Set(this.#folders.get(path)?.entries.map((entry) => entry.path));
    for (const entry of before) {
      if (!entry.isDirectory || now.has(entry.path)) continue;
      for (const known of this.#folders.keys()) if (isWithin(entry.path, known)) this.#folders.delete(known);
    }
  }

  /** Loads the nearest known folder above a folder that may have disappeared. */
  #reloadAbove(path: string): void {
    if (path === "/") return;
    const above = parentOf(path);
    if (this.#folders.has(above)) this.reload(above);
    else this.#reloadAbove(above);
  }

  #put(path: string, folder: Folder): void {
    this.#folders.set(path, folder);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#ports.soon(() => {
      this.#isScheduled = false;
      this.#store.set(new Map(this.#folders));
    });
  }
}

/** The index of a record in a sorted list. */
function placeFor(entries: readonly FileRecord[], file: FileRecord): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = entries[middle];
    if (entry !== undefined && compareEntries(entry, file) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function impliedFolder(path: string): FileRecord {
  return { path, name: nameOf(path), mimeType: "inode/directory", storage: "local", size: 0, isDirectory: true };
}
