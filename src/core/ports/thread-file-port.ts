// The port of a thread's files (Standard Agents, ThreadState's file methods).

import type { JsonObject } from "#contract/json.ts";
import type { FileChunk, FileRecord, FileStats, GrepResult } from "#spec/index.ts";

/** The content to write. A stream is stored in pieces and is never completely in memory. */
export type FileBody = string | Uint8Array | ReadableStream<Uint8Array>;

/** The properties of a file to write. */
export interface FileFacts {
  mimeType: string;
  metadata?: JsonObject | undefined;
  /** Pixels, for images. Measured if absent. */
  width?: number | undefined;
  height?: number | undefined;
}

/** The file or folder at a path, with its ETag. The tag is null for a folder, and for a linked file. */
export interface ExistingEntry {
  record: FileRecord;
  etag: string | null;
}

/**
 * A check in the transaction that replaces an entry. It receives the existing entry at the path, and the tag of the new file. If it throws,
 * nothing is written. So only one of two writers with the same condition succeeds.
 */
export type WriteCheck = (existing: ExistingEntry | null, etag: string) => void;

/** One version of a file. A later file at the same path is another version. */
export interface FileVersion {
  path: string;
  etag: string;
}

/** The options of a write. */
export interface WriteFacts extends FileFacts {
  check?: WriteCheck | undefined;
  /** Called in the transaction that creates the file. */
  made?: ((file: FileVersion) => void) | undefined;
  /**
   * Aborts the write while it waits for other writes or for the next piece of a stream. The write is refused with `conflict`, and the
   * file does not change.
   */
  signal?: AbortSignal | undefined;
  /**
   * Whether the stream is from a client and may be slow. The write waits for writes of other clients, but the thread's own writes do not
   * wait for this write.
   */
  outside?: boolean | undefined;
}

/** One change of a batch. `remove` deletes a file, or a folder with everything in it. */
export type FileEdit =
  | { type: "write"; path: string; body: string | Uint8Array; facts: WriteFacts }
  | { type: "folder"; path: string }
  | { type: "move"; from: string; path: string }
  | { type: "remove"; path: string };

/** The properties of a linked file. */
export interface LinkFacts extends FileFacts {
  /** Bytes, if known. */
  size?: number | undefined;
}

/** An open file: its record, its tag for `ETag`, and the requested bytes. */
export interface OpenFile {
  record: FileRecord;
  /** Changes with every write of the path. */
  etag: string;
  body: ReadableStream<Uint8Array>;
}

/** Bytes from `offset` on; without `length` to the end. */
export interface ByteRange {
  offset: number;
  length?: number | undefined;
}

/** The results of a search. `truncated`: a bound ended the search, and there may be more results. */
export type Found<Results> = Results & { truncated: boolean };

/** The options of a search. */
export interface SearchOptions {
  /** The folder to search. Default: the root. */
  path?: string | undefined;
  /** The maximum number of matching files. */
  limit?: number | undefined;
  /** A glob that the paths of searched files match. Default: all. */
  include?: string | undefined;
  /** Names of folders. Files in them, at any depth below `path`, are not searched. */
  exclude?: readonly string[] | undefined;
  /** The maximum number of names in a path below `path`: 1 for the folder's own files. */
  depth?: number | undefined;
  /** Aborts the search, which rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/**
 * Contract: paths may have a leading `/`. They are normalised; a path outside of the thread's root is refused with `invalid_request`.
 * Records have paths with a leading `/`. A failed write does not change the file. A write replaces the whole file. Every method rejects
 * with a ThreadholdError whose message names the path. A linked file is a record of an address outside, without bytes.
 */
export interface ThreadFiles {
  /** The maximum number of bytes of a file. */
  readonly limit: number;
  /** Writes a file, and creates its parent folders. Refused with `conflict` if the path is a folder, `too_large` over the limit. */
  write(path: string, body: FileBody, facts: WriteFacts): Promise<FileRecord>;
  /**
   * Writes a file under `/attachments/`. The path is made of `name`, keeps its extension, and is not used by another file (decision 17:
   * files of a thread).
   */
  attach(name: string, body: FileBody, facts: WriteFacts): Promise<FileRecord>;
  /**
   * Records a linked file with an http or https address. It is listed and has a record. Its bytes are never fetched (decision 17: files
   * by URL).
   */
  link(path: string, url: string, facts: LinkFacts): Promise<FileRecord>;
  /**
   * Reads the whole file. Null for a missing file, a folder and a linked file. Throws `too_large` for a file that has to be read in chunks.
   */
  read(path: string): Promise<Uint8Array | null>;
  /** Opens a file for reading. Null for a missing file, a folder and a linked file. */
  open(path: string, range?: ByteRange): Promise<OpenFile | null>;
  /** Reads the stored chunks, one at a time. Null for a missing file, a folder and a linked file. */
  chunks(path: string, signal?: AbortSignal): Promise<AsyncIterable<FileChunk> | null>;
  /** Returns the entry at a path with its ETag. Reads no bytes. Null for a missing entry. */
  entry(path: string): Promise<ExistingEntry | null>;
  /** Returns the record of a file or a folder; also of a folder that exists only because of the files in it. Null for a missing entry. */
  stat(path: string): Promise<FileRecord | null>;
  /** Returns the entries of a folder, by name. Throws `file_not_found` for a missing folder, `conflict` for a file. */
  list(path: string): Promise<FileRecord[]>;
  /** Deletes a file. Throws `file_not_found` for a missing file, `conflict` for a folder. */
  remove(path: string): Promise<void>;
  /** Creates a folder and its parents, or returns the existing folder. Throws `conflict` if the path is a file. */
  makeFolder(path: string): Promise<FileRecord>;
  /** Deletes an empty folder. Throws `conflict` for a folder with entries, and for a file. */
  removeFolder(path: string): Promise<void>;
  /**
   * Moves a file, or a folder with everything in it. Bytes, metadata, ETag and thumbnail stay the same; no byte is copied out of the
   * thread's rows or the bucket. Throws `file_not_found` for a missing entry, `conflict` if an entry exists at the new path, if the new
   * path is below the entry itself or below a file, `too_large` for a folder that is too large to be moved at once.
   */
  move(from: string, to: string): Promise<FileRecord>;
  /**
   * Makes changes in their order, all or none. Returns the record of each changed entry; null for a deleted one. Throws as the methods for
   * one change, `too_large` for too many changes or bytes, and the signal's reason if it is aborted before the transaction.
   */
  edit(edits: readonly FileEdit[], signal?: AbortSignal): Promise<(FileRecord | null)[]>;
  /** Returns the number of files and folders, and their bytes. Folders that exist only because of the files in them count too. */
  stats(): Promise<FileStats>;
  /**
   * Returns the lines that match a regular expression, by file. The time is bounded, and linear in the length of the text for every
   * pattern.
   */
  grep(pattern: string, options?: SearchOptions): Promise<Found<{ results: GrepResult[] }>>;
  /** The paths that match a glob. `total` also counts the paths over the limit. */
  find(glob: string, options?: SearchOptions): Promise<Found<{ paths: string[]; total: number }>>;
  /**
   * Returns a small version of an image, which is made once and then stored. Null for a file that is no image, or that cannot be converted.
   */
  thumbnail(path: string): Promise<Uint8Array | null>;
}
