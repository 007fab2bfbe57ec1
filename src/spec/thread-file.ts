// Files of a thread as definitions read and write them. Paths are relative to the thread's root.

/** Where a file's bytes lie; the runtime names its own places (Standard Agents, threads). */
export type FileStorage = string;

/** A file or a folder (Standard Agents, threads). Sizes are bytes, times microseconds since the epoch. */
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

/** What a folder holds (Standard Agents, threads). */
export interface ReaddirResult {
  entries: FileRecord[];
}

/** Totals over a thread's files (Standard Agents, threads). */
export interface FileStats {
  fileCount: number;
  directoryCount: number;
  /** Bytes. */
  totalSize: number;
}

/** The lines of one file that match (Standard Agents, threads). */
export interface GrepResult {
  path: string;
  matches: Array<{
    /** From 1. */
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
  /** Ends the stream early; chunks already given stay valid. */
  signal?: AbortSignal;
}

/** A piece of a file (Standard Agents, threads). */
export interface FileChunk {
  data: Uint8Array;
  /** From 0. */
  index: number;
  totalChunks: number;
  isLast: boolean;
}
