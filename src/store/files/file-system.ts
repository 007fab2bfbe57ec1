// The file system of a thread over its rows (Standard Agents, threads; decisions 17 and 18: files of a thread and over HTTP). It
// resolves paths, lists and deletes. The writer, the reader and the search are separate modules.

import { refuse } from "#contract/error.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { ImagePort } from "#core/ports/image-port.ts";
import type { FileFacts, FileVersion, ThreadFiles } from "#core/ports/thread-file-port.ts";
import { createRequestQueue } from "#lib/bounded-fetch.ts";

import { freePath } from "./attachment-path.ts";
import { deleteFromBucket } from "./file-bucket.ts";
import type { Change } from "./file-change.ts";
import { dropImplied, editFiles, moveFile, putFolder } from "./file-edits.ts";
import { filePath } from "./file-path.ts";
import type { FilePath } from "./file-path.ts";
import { fileChunks, openBytes, wholeBytes } from "./file-reader.ts";
import { fileRecord, existingEntryOf } from "./file-record.ts";
import type { FileRow, FileRows } from "./file-rows.ts";
import { FileWriter } from "./file-writer.ts";
import type { BucketChoice } from "./file-writer.ts";
import { thumbnails } from "./thumbnail.ts";

/** Maximal bytes of a file's metadata as JSON, and characters of its media type. Both are in the row that may hold its bytes. */
const metadataLimit = 64 * 1024;
const mimeTypeLimit = 255;

/** Maximal characters of the address of an external file. */
const urlLimit = 8192;

/** Entries read from a folder at a time, and maximal entries of a listed folder. */
const page = 500;
const entryLimit = 20_000;

/** Concurrent searches of one thread's files. Others wait. */
const searchesAtOnce = 2;

/** Dependencies and limits of the file system. */
export interface FileSystemParts {
  rows: FileRows;
  /** Performs changes and emits their events. Default: without events. */
  change?: Change;
  images: ImagePort;
  clock: Clock;
  /** Maximal bytes of a file. */
  limit: number;
  /** Bytes of the object's storage up to which files may fill it, including all other data. */
  room: number;
  /** Null if all files are stored in the thread. */
  bucket: BucketChoice | null;
  /** Called if there is garbage, or will be if a write does not end: call `sweep` soon. */
  onGarbage: () => void;
}

/** The port with operations that only the thread's object uses. */
export interface ManagedThreadFiles extends ThreadFiles {
  /** Whether uploads wait for other uploads of this thread. */
  readonly crowded: boolean;
  /**
   * Deletes bytes that belong to no file. Resolves to false while a write is in progress: call it again, because a crash could leave
   * garbage. Rejects with `unavailable` if the bucket fails. Objects in a bucket that is not bound are kept until it is bound again.
   */
  sweep(): Promise<boolean>;
  /** The number of files that were written after a time (microseconds). */
  writtenAfter(at: number): number;
  /** Deletes a file if it still is this version. Synchronous. */
  removeVersion(version: FileVersion): void;
  /** From now on writes are refused, and those that have begun fail, because the thread is being deleted. */
  close(): void;
}

/** Creates the file system. Touches no storage. */
export function createFileSystem(parts: FileSystemParts): ManagedThreadFiles {
  const { rows, clock, change = (work) => rows.transaction(work).result } = parts;
  const reading = { rows, bucket: parts.bucket?.bucket ?? null };
  const writer = new FileWriter({ ...parts, change });
  const editing = { rows, writer, clock, change, onGarbage: parts.onGarbage };
  const inTurn = createRequestQueue(searchesAtOnce);
  const thumbnail = thumbnails(reading, parts.images);
  /** Paths of attachments that are being written. */
  const attaching = new Set<string>();

  function find(path: unknown): { at: FilePath; row: FileRow | null } {
    const at = filePath(path);
    return { at, row: at.name === "" ? rootRow : rows.find(at.parent, at.name) };
  }

  function file(path: unknown): FileRow | null {
    const { row } = find(path);
    return row === null || row.is_folder ? null : row;
  }

  /** The file, unless its bytes are external. */
  function ownFile(path: unknown): FileRow | null {
    const row = file(path);
    return row?.body.place?.type === "external" ? null : row;
  }

  function remove(at: FilePath, row: FileRow): void {
    const leftover = change(() => {
      rows.remove(at.parent, at.name);
      dropImplied(rows, at);
      return { result: writer.dropBytes(row), events: [{ path: at.path, file: null }] };
    });
    if (leftover) parts.onGarbage();
  }

  const files: ManagedThreadFiles = {
    limit: parts.limit,
    get crowded() {
      return writer.crowded;
    },
    async write(path, body, facts) {
      const at = filePath(path);
      checkFacts(facts);
      return fileRecord(await writer.write(at, body, facts));
    },
    async attach(name, body, facts) {
      const path = freePath(rows, name, attaching);
      attaching.add(path);
      try {
        return await files.write(path, body, facts);
      } finally {
        attaching.delete(path);
      }
    },
    async link(path, url, facts) {
      const at = filePath(path);
      checkFacts(facts);
      if (facts.size !== undefined && !(Number.isSafeInteger(facts.size) && facts.size >= 0)) {
        throw refuse("invalid_request", "The size of a file outside must be a whole number of bytes.");
      }
      return fileRecord(writer.link(at, outsideUrl(url), facts));
    },
    async read(path) {
      const row = ownFile(path);
      if (row === null) return null;
      return wholeBytes(reading, row);
    },
    async open(path, range) {
      const row = ownFile(path);
      if (row === null) return null;
      return { record: fileRecord(row), etag: row.body.tag, body: await openBytes(reading, row, range) };
    },
    async chunks(path, signal) {
      const row = ownFile(path);
      return row === null ? null : fileChunks(reading, row, signal);
    },
    async entry(path) {
      const { row } = find(path);
      return row === null ? null : existingEntryOf(row);
    },
    async stat(path) {
      const { row } = find(path);
      return row === null ? null : fileRecord(row);
    },
    async list(path) {
      const { at, row } = find(path);
      if (row === null) throw missing(at);
      if (!row.is_folder) throw refuse("conflict", `${at.path} is a file, not a folder.`);
      return entriesOf(rows, at.path).map(fileRecord);
    },
    async remove(path) {
      const { at, row } = find(path);
      if (row === null) throw missing(at);
      if (row.is_folder) throw refuse("conflict", `${at.path} is a folder. Remove it as one when it is empty.`);
      remove(at, row);
    },
    removeVersion({ path, etag }) {
      const { at, row } = find(path);
      if (row?.is_folder === false && row.body.tag === etag) remove(at, row);
    },
    async makeFolder(path) {
      const { at } = find(path);
      if (at.name === "") return fileRecord(rootRow);
      return change(() => {
        const { record, events } = putFolder(editing, at);
        return { result: record, events };
      });
    },
    async removeFolder(path) {
      const { at, row } = find(path);
      if (row === null) throw missing(at);
      if (!row.is_folder) throw refuse("conflict", `${at.path} is a file, not a folder.`);
      if (at.name === "") throw refuse("conflict", "The root cannot be removed.");
      if (!isEmpty(rows, at)) throw refuse("conflict", `${at.path} is not empty.`);
      change(() => {
        rows.remove(at.parent, at.name);
        dropImplied(rows, at);
        return { result: null, events: [{ path: at.path, file: null }] };
      });
    },
    move: async (from, to) => moveFile(editing, from, to),
    async edit(edits, signal) {
      for (const edit of edits) if (edit.type === "write") checkFacts(edit.facts);
      return editFiles(editing, edits, signal);
    },
    writtenAfter: (at) => rows.writtenAfter(at),
    async stats() {
      const { files: fileCount, folders: directoryCount, bytes: totalSize } = rows.totals();
      return { fileCount, directoryCount, totalSize };
    },
    // The code of searches is loaded with the first one: its packages are a twelfth of what a Worker would load at its start.
    grep: (pattern, options) =>
      inTurn(options?.signal, async () => (await import("./file-search.ts")).grepFiles(reading, pattern, options)),
    find: (glob, options) =>
      inTurn(options?.signal, async () => (await import("./file-search.ts")).findFiles(rows, glob, options)),
    thumbnail: async (path) => thumbnail(() => ownFile(path)),
    async sweep() {
      const deletable = rows.garbage().filter(({ generation }) => !writer.isWriting(generation));
      const [inBucket, chunks] = [
        deletable.filter((one) => one.bucket_key !== null),
        deletable.filter((one) => one.bucket_key === null),
      ];
      for (const { generation } of chunks) {
        rows.transaction(() => {
          rows.dropChunks(generation);
          rows.removeGarbage(generation);
        });
      }
      if (reading.bucket !== null && inBucket.length > 0) {
        await deleteFromBucket(
          reading.bucket,
          inBucket.flatMap(({ bucket_key }) => bucket_key ?? []),
        );
        rows.transaction(() => {
          for (const { generation } of inBucket) rows.removeGarbage(generation);
        });
      }
      return !writer.busy;
    },
    close: () => writer.close(),
  };
  return files;
}

/**
 * Refuses values that do not fit into the row or into an HTTP header. Callers that know the request's field check earlier, with better
 * messages.
 */
function checkFacts({ mimeType, metadata }: FileFacts): void {
  if (mimeType.length > mimeTypeLimit || !/^[\x20-\x7e]+$/.test(mimeType)) {
    throw refuse("invalid_request", `A file's MIME type is ASCII text of at most ${mimeTypeLimit} characters.`);
  }
  if (new TextEncoder().encode(JSON.stringify(metadata ?? {})).byteLength > metadataLimit) {
    throw refuse("too_large", `A file's metadata may have at most ${metadataLimit} bytes of JSON.`);
  }
}

function outsideUrl(given: string): string {
  const url = given.length <= urlLimit ? URL.parse(given) : null;
  if (url !== null && (url.protocol === "https:" || url.protocol === "http:")) return url.href;
  throw refuse("invalid_request", `A file outside has an http or https address of at most ${urlLimit} characters.`);
}

const rootRow: FileRow = {
  parent: "/",
  name: "",
  is_folder: true,
  size: 0,
  body: { mime_type: "inode/directory", tag: "root", created_at: 0, updated_at: 0 },
};

function entriesOf(rows: FileRows, parent: string): FileRow[] {
  const entries: FileRow[] = [];
  for (;;) {
    const found: FileRow[] = rows.children(parent, { after: entries.at(-1)?.name ?? null, limit: page });
    entries.push(...found);
    if (found.length < page) return entries;
    if (entries.length >= entryLimit) {
      const message = `${parent} holds ${entryLimit} entries or more, too many to list. Find them by a glob.`;
      throw refuse("too_large", message, { limit: entryLimit });
    }
  }
}

function isEmpty(rows: FileRows, { path }: FilePath): boolean {
  return rows.children(path, { after: null, limit: 1 }).length === 0;
}

function missing({ path }: FilePath) {
  return refuse("file_not_found", `There is no file ${path} in this thread.`);
}
