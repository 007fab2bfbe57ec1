// The rows under a thread's files, as the file system sees them. Synchronous, because the object's SQLite is; both
// implementations keep one contract.

import type { JsonObject } from "#contract/json.ts";

/** Bytes of a chunk at most (Standard Agents, writeFile); also what a file's own row may hold. */
export const chunkBytes = 1_835_008;

/** Where a file's bytes lie: in its row, in chunks, in a bucket, or elsewhere. */
export type FilePlace =
  | { type: "row" }
  | { type: "chunks"; generation: number; count: number }
  | { type: "bucket"; key: string }
  | { type: "external"; url: string };

/** What is kept of a file or folder beside its name and size. Times are microseconds. */
export interface FileBodyRecord {
  mime_type: string;
  /** Absent for folders. */
  place?: FilePlace;
  /** A folder that only a path below it made: it goes with its last entry. */
  implied?: boolean;
  /** Changes with every write. */
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

/** Bytes that no file stands for: the chunks of a generation, or an object in a bucket under a number of its own. */
export interface Garbage {
  generation: number;
  /** Set for bytes in a bucket. */
  bucket_key: string | null;
}

/** Parents from one on, up to and without another; null for no end. As SQLite compares text. */
export interface Span {
  from: string;
  to: string | null;
}

/**
 * Contract: every method is synchronous; reads see the writes of the same transaction; rows handed out are copies. Reads stay
 * within what is asked for.
 */
export interface FileRows {
  transaction<T>(work: () => T): T;
  find(parent: string, name: string): FileRow | null;
  /** Puts a row in the place of the one that is there; `bytes` null for bytes that lie elsewhere. Drops its thumbnail. */
  put(row: FileRow, bytes: Uint8Array | null): void;
  remove(parent: string, name: string): void;
  bytes(parent: string, name: string): Uint8Array | null;
  thumbnail(parent: string, name: string): Uint8Array | null;
  keepThumbnail(parent: string, name: string, bytes: Uint8Array): void;
  /** What a folder holds, by name, as many as asked for, behind `after`. */
  children(parent: string, page: { after: string | null; limit: number }): FileRow[];
  /** Rows whose parent lies in a span, folders left out: by parent and name, as many as asked for, behind a place. */
  files(span: Span, page: { after: Pick<FileRow, "parent" | "name"> | null; limit: number }): FileRow[];
  totals(): { files: number; folders: number; bytes: number };
  /** Bytes that the storage holds, what else lies in it and what is being written included. Reads no rows. */
  filled(): number;

  putChunk(generation: number, number: number, bytes: Uint8Array): void;
  chunk(generation: number, number: number): Uint8Array | null;
  dropChunks(generation: number): void;
  /** The highest generation that chunks or garbage have; a new one above it is nobody's. */
  lastGeneration(): number;
  addGarbage(garbage: Garbage): void;
  removeGarbage(generation: number): void;
  garbage(): Garbage[];
}
