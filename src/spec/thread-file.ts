// Files of a thread as definitions read and write them. Paths are relative to the thread's root folder.

/** The storage of a file's bytes. The values depend on the runtime (Standard Agents, threads). */
export type FileStorage = string;

/** A file or a folder (Standard Agents, threads). Sizes are bytes, times are microseconds since the epoch. */
export interface FileRecord {
  path: string;
  name: string;
  mimeType: string;
  storage: FileStorage;
  size: number;
  isDirectory: boolean;
  metadata?: Record<string, unknown>;
  /** Pixels, for images. */
  width?: number;
  /** Pixels, for images. */
  height?: number;
  createdAt?: number;
  updatedAt?: number;
}

/** Options of `writeFile` (Standard Agents, threads). */
export interface WriteFileOptions {
  metadata?: Record<string, unknown>;
  /** Pixels, for images. */
  width?: number;
  /** Pixels, for images. */
  height?: number;
}

/** The entries of a folder (Standard Agents, threads). */
export interface ReaddirResult {
  entries: FileRecord[];
}

/** Totals over all files of a thread (Standard Agents, threads). */
export interface FileStats {
  fileCount: number;
  directoryCount: number;
  /** In bytes. */
  totalSize: number;
}

/** The matching lines of one file (Standard Agents, threads). */
export interface GrepResult {
  path: string;
  matches: Array<{
    /** Line number from 1. */
    line: number;
    content: string;
  }>;
}

/** The paths that match a glob (Standard Agents, threads). */
export interface FindResult {
  paths: string[];
}

/** Options of `readFileStream` (Standard Agents, threads). */
export interface ReadFileStreamOptions {
  /** Ends the stream early. Chunks that were already read remain valid. */
  signal?: AbortSignal;
}

/** A chunk of a file (Standard Agents, threads). */
export interface FileChunk {
  data: Uint8Array;
  /** Position of the chunk, from 0. */
  index: number;
  totalChunks: number;
  isLast: boolean;
}
