// The interface of the rows of a thread's files, which the file system uses. It is synchronous like the object's SQLite. Both
// implementations follow the same contract.

import type { JsonObject } from "#contract/json.ts";

/** Maximal bytes of a chunk (Standard Agents, writeFile), and of the bytes in a file's own row. */
export const chunkBytes = 1_835_008;

/** Where a file's bytes are stored: in its row, in chunks, in a bucket, or at an external address. */
export type FileLocation =
  | { type: "row" }
  | { type: "chunks"; generation: number; count: number }
  | { type: "bucket"; key: string }
  | { type: "external"; url: string };

/** Properties of a file or folder in addition to name and size. Times are microseconds. */
export interface FileBodyRecord {
  mime_type: string;
  /** Absent for folders. */
  place?: FileLocation;
  /** Whether the folder was only created for a path below it. It is deleted with its last entry. */
  implied?: boolean;
  /** The ETag, which changes with every write. */
  tag: string;
  metadata?: JsonObject;
  width?: number;
  height?: number;
  created_at: number;
  updated_at: number;
}

/** A file or folder without its bytes. */
export interface FileRow {
  parent: string;
  name: string;
  is_folder: boolean;
  size: number;
  body: FileBodyRecord;
}

/** Bytes without a file, to be deleted: the chunks of a generation, or an object in a bucket under a generation of its own. */
export interface Garbage {
  generation: number;
  /** Set for bytes in a bucket. */
  bucket_key: string | null;
}

/** A range of parent paths from `from` (included) to `to` (excluded); null for no end. Compared as SQLite compares text. */
export interface Span {
  from: string;
  to: string | null;
}

/** Measures of the entries below a folder. */
export interface TreeSize {
  entries: number;
  /** Bytes that are stored in the entries' own rows. */
  rowBytes: number;
  /** UTF-8 bytes of the longest path. */
  longestPath: number;
  /** Names in the deepest path. */
  depth: number;
}

/**
 * Contract: every method is synchronous. Reads see the writes of the same transaction. Returned rows are copies. `tree`, `totals` and
 * `garbage` read all rows that they count or return, `files` also reads the folders between its files, and other reads cost no more rows
 * than were requested.
 */
export interface FileRows {
  transaction<T>(work: () => T): T;
  find(parent: string, name: string): FileRow | null;
  /** Inserts the row, or replaces the existing row and deletes its thumbnail. `bytes` is null if the bytes are stored elsewhere. */
  put(row: FileRow, bytes: Uint8Array | null): void;
  remove(parent: string, name: string): void;
  bytes(parent: string, name: string): Uint8Array | null;
  thumbnail(parent: string, name: string): Uint8Array | null;
  keepThumbnail(parent: string, name: string, bytes: Uint8Array): void;
  /** Entries of a folder by name, after the name `after`, at most `limit`. */
  children(parent: string, page: { after: string | null; limit: number }): FileRow[];
  /** Files whose parent is in a span, without folders, by parent and name, after the position `after`, at most `limit`. */
  files(span: Span, page: { after: Pick<FileRow, "parent" | "name"> | null; limit: number }): FileRow[];
  /** Measures the entries below a folder, without the folder. Reads a row for each entry. */
  tree(path: string): TreeSize;
  /** Changes the path of an entry, and of everything below it. Bytes and thumbnails stay in their rows. Nothing may exist at the new path. */
  moveTree(from: Pick<FileRow, "parent" | "name">, to: Pick<FileRow, "parent" | "name">): void;
  /** Deletes the rows below a folder, without the folder. */
  removeTree(path: string): void;
  /** The number of files that were written after a time (microseconds). Reads all rows. */
  writtenAfter(at: number): number;
  totals(): { files: number; folders: number; bytes: number };
  /** Bytes of the whole storage, including other data and pending writes. Reads no rows. */
  filled(): number;

  putChunk(generation: number, number: number, bytes: Uint8Array): void;
  chunk(generation: number, number: number): Uint8Array | null;
  dropChunks(generation: number): void;
  /** The highest generation of chunks and garbage. A higher one is unused. */
  lastGeneration(): number;
  addGarbage(garbage: Garbage): void;
  removeGarbage(generation: number): void;
  garbage(): Garbage[];
}
