// The files of one thread, as the layers above its storage see them (Standard Agents, ThreadState's file methods).

import type { JsonObject } from "#contract/json.ts";
import type { FileChunk, FileRecord, FileStats, GrepResult } from "#spec/index.ts";

/** What may be written. A stream is stored piece by piece and is never whole in memory. */
export type FileBody = string | Uint8Array | ReadableStream<Uint8Array>;

/** What is known of a file beside its bytes. */
export interface FileFacts {
  mimeType: string;
  metadata?: JsonObject | undefined;
  /** Pixels, for images; measured where they are not given. */
  width?: number | undefined;
  height?: number | undefined;
}

/** What stands at a path. The tag is null for a folder, and for a file that lies outside. */
export interface Standing {
  record: FileRecord;
  etag: string | null;
}

/**
 * Looks at what stands at a path in the very moment a write takes its place, and at the tag the write will have. Throws to
 * leave everything as it is. Asked in the same transaction, so that of two writers with one condition one is refused.
 */
export type WriteCheck = (standing: Standing | null, etag: string) => void;

/** One file as it was written, and not what may stand at its path later. */
export interface FileVersion {
  path: string;
  etag: string;
}

/** What a write is told beside the bytes. */
export interface WriteFacts extends FileFacts {
  check?: WriteCheck | undefined;
  /** Hears of the file in the transaction that makes it one. */
  made?: ((file: FileVersion) => void) | undefined;
  /**
   * Ends the write while it waits for its turn or for the next piece of a stream: it is refused with `conflict`, and the file
   * stays as it was.
   */
  signal?: AbortSignal | undefined;
  /** Somebody outside sends the stream, and may be slow: it waits for others of its kind, and none of the thread's own for it. */
  outside?: boolean | undefined;
}

/** What is known of a file that lies outside. */
export interface LinkFacts extends FileFacts {
  /** Bytes, where somebody knows. */
  size?: number | undefined;
}

/** An open file: its record, its tag for `ETag`, and the bytes asked for. */
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

/** What a search came to. `truncated` where a bound ended it, so that more may match. */
export type Found<Results> = Results & { truncated: boolean };

/** Bounds of a search. */
export interface SearchOptions {
  /** Folder to search in; the root when absent. */
  path?: string | undefined;
  /** Matching files at most. */
  limit?: number | undefined;
  /** Calls the search off: it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/**
 * Contract: paths are taken with or without a leading `/`, normalised, and never leave the thread's root; one that would is
 * refused with `invalid_request`. Records carry paths with a leading `/`. A failing write leaves the file as it was. What
 * stands at a path is replaced as a whole. Every method rejects with a ThreadholdError whose message names the path.
 */
export interface ThreadFiles {
  /** Bytes a file may have. */
  readonly limit: number;
  /** Writes a file, its parent folders implied. Refused with `conflict` where a folder stands, `too_large` over the limit. */
  write(path: string, body: FileBody, facts: WriteFacts): Promise<FileRecord>;
  /** Writes under `/attachments/`, at a free path made of `name` that keeps its extension (decision 17). */
  attach(name: string, body: FileBody, facts: WriteFacts): Promise<FileRecord>;
  /**
   * Records a file that lies at an address outside, http or https, and is never fetched from there: it is listed and has a
   * record, and no bytes (decision 17).
   */
  link(path: string, url: string, facts: LinkFacts): Promise<FileRecord>;
  /**
   * The whole file. Null for none, for a folder, and for one that lies outside; `too_large` for one that is to be read chunk
   * by chunk.
   */
  read(path: string): Promise<Uint8Array | null>;
  /** Null for none, and for a folder. */
  open(path: string, range?: ByteRange): Promise<OpenFile | null>;
  /** One stored chunk at a time. Null for none, for a folder, and for a file that lies outside. */
  chunks(path: string, signal?: AbortSignal): Promise<AsyncIterable<FileChunk> | null>;
  /** What stands at a path, with its tag; reads no bytes. Null for nothing. */
  standing(path: string): Promise<Standing | null>;
  /** A file or a folder, implied folders too; null for none. */
  stat(path: string): Promise<FileRecord | null>;
  /** What a folder holds, by name. `file_not_found` for none, `conflict` for a file. */
  list(path: string): Promise<FileRecord[]>;
  /** Deletes a file. `file_not_found` for none, `conflict` for a folder. */
  remove(path: string): Promise<void>;
  /** Makes a folder, its parents too; one that is there is given again. `conflict` where a file stands. */
  makeFolder(path: string): Promise<FileRecord>;
  /** Removes an empty folder. `conflict` for one that is not empty or is a file. */
  removeFolder(path: string): Promise<void>;
  /** Counts and bytes, implied folders included. */
  stats(): Promise<FileStats>;
  /** Lines that a regular expression matches, by file; linear in the text whatever the pattern, and bounded. */
  grep(pattern: string, options?: SearchOptions): Promise<Found<{ results: GrepResult[] }>>;
  /** Paths that a glob matches. */
  find(glob: string, options?: SearchOptions): Promise<Found<{ paths: string[] }>>;
  /** A small picture of an image, made once and kept; null for what is no image or where none can be made. */
  thumbnail(path: string): Promise<Uint8Array | null>;
}
