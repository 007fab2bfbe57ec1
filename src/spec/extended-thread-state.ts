// The operations on a thread that Threadhold adds to Standard Agents' ThreadState. They are in an interface of their own, so that the
// published ThreadState and ours are assignable to each other.

import type { WorkerEnv } from "./register.ts";
import type { FileRecord, GrepResult, WriteFileOptions } from "./thread-file.ts";
import type { ThreadState } from "./thread-state.ts";

/** One change of `writeFiles`. */
export type FileEdit =
  | FileWrite
  /** Creates a folder. An existing folder remains. */
  | { folder: string }
  /** Moves a file, or a folder with everything in it, to a path where nothing exists. */
  | { move: string; to: string }
  /** Deletes a file, or a folder with everything in it. */
  | { delete: string };

/** A file to write. */
export interface FileWrite extends WriteFileOptions {
  path: string;
  data: ArrayBuffer | Uint8Array | string;
  /** Default: the type that the file's name suggests. */
  mimeType?: string;
  /**
   * The record of the file as it was read, or null if there was none. If the file has changed since, the batch is refused with `conflict`.
   * Without it the file is replaced.
   */
  expected?: FileRecord | null;
}

/** The options of `searchFiles` and `listFiles`. */
export interface FileSearchOptions {
  /** Folder to search. Default: the root. */
  path?: string;
  /** Names of folders that are not searched. */
  exclude?: readonly string[];
  /** Maximal number of files in the result. Default 1,000, which is also the maximum. */
  limit?: number;
  /** Aborts the search. */
  signal?: AbortSignal;
}

/** The result of `searchFiles`. */
export interface FileSearchResult {
  results: GrepResult[];
  /** A limit ended the search, and more lines may match. */
  truncated: boolean;
}

/** The result of `listFiles`. */
export interface FileListResult {
  paths: string[];
  /** The number of matching files, including those over the limit. */
  total: number;
  truncated: boolean;
}

/** The options of `fetch`: those of the global function that are supported, and bounds of this request. */
export interface ThreadFetchInit {
  /** Default: GET. */
  method?: string;
  headers?: Headers | Record<string, string> | [string, string][];
  body?: string | ArrayBuffer | Uint8Array | URLSearchParams | FormData | ReadableStream<Uint8Array> | null;
  signal?: AbortSignal | null;
  /** Default: `follow`, at most five redirects. Each of them is checked like the first request. */
  redirect?: "follow" | "manual" | "error";
  /**
   * Hosts that may be requested even if they are in private networks or use http, in addition to those of the deployment: `host`,
   * `host:port`, `*.suffix`.
   */
  allowedHosts?: readonly string[];
  limits?: ThreadFetchLimits;
}

/** Bounds of a request. `Infinity` removes a bound. */
export interface ThreadFetchLimits {
  /** The maximum number of bytes of the body after decompression. Default 8 MiB. */
  bytes?: number;
  /** Milliseconds until the headers of each response. Default 15 s. */
  headersMs?: number;
  /** Milliseconds between two pieces of the body. Default 15 s. */
  idleMs?: number;
  /** Milliseconds for the whole request, including redirects and the body. Default 60 s. */
  totalMs?: number;
  /** The maximum number of redirects. Default 5. */
  redirects?: number;
}

/**
 * A thread with the operations that Threadhold adds. Every tool, hook and endpoint receives it. Name it as the type of the parameter:
 * `async (state: ExtendedThreadState, args) => …`.
 */
export interface ExtendedThreadState extends ThreadState {
  /**
   * The bindings, variables and secrets of the Worker, by name. A secret is removed from logs, traces and errors, as the keys of providers
   * are. It is not removed from messages: what a tool returns is stored as it is. The types that the build writes add this member to
   * `ThreadState` too.
   */
  readonly env: WorkerEnv;
  /** Moves a file, or a folder with everything in it. Rejects with `conflict` if an entry exists at the new path. */
  moveFile(from: string, to: string): Promise<FileRecord>;
  /**
   * Makes changes of files in their order, all or none, in one transaction. Resolves to the records of the changed entries, null for deleted
   * ones. At most 5,000 changes and 32 MiB. If `signal` is aborted before the transaction, no change is made, and the promise rejects with the
   * signal's reason.
   */
  writeFiles(edits: readonly FileEdit[], options?: { signal?: AbortSignal }): Promise<Array<FileRecord | null>>;
  /** Finds lines that match a regular expression, in the files whose paths match `include`. */
  searchFiles(pattern: string, options?: FileSearchOptions & { include?: string }): Promise<FileSearchResult>;
  /** Finds files whose paths match a glob. `depth` is the maximal number of names in a path below the folder. */
  listFiles(glob: string, options?: FileSearchOptions & { depth?: number }): Promise<FileListResult>;
  /**
   * Requests an address that a user, a model or a page chose. Addresses in private networks are refused, also those of redirects, and the
   * response is bounded. Rejects with an error that names the reason and the host. The response's `url` is that of the last request.
   */
  fetch(url: string | URL, init?: ThreadFetchInit): Promise<Response>;
}
