// A change of a thread's files together with its events: one transaction, so that a crash keeps all or nothing.

import type { FileRecord } from "#spec/index.ts";

/** The content of an event: the current file or folder, or null after its deletion. */
export interface FileChange {
  path: string;
  file: FileRecord | null;
}

/** The result of a change, and the content of its events. */
export interface Changed<T> {
  result: T;
  events: readonly FileChange[];
}

/**
 * Performs a change. Contract: the change and the rows that the owner of the files writes for it are one transaction. If either part
 * throws, neither remains, and the error is thrown. Synchronous; never called inside a transaction.
 */
export type Change = <T>(work: () => Changed<T>) => T;
