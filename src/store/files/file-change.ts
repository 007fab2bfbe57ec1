// A change of a thread's files together with its event: one transaction, so that a crash keeps both or neither.

import type { FileRecord } from "#spec/index.ts";

/** The content of the event: the current file or folder, or null after its deletion. */
export interface FileChange {
  path: string;
  file: FileRecord | null;
}

/** The result of a change. `event` is the content of its event; null if no event is needed. */
export interface Changed<T> {
  result: T;
  event: FileChange | null;
}

/**
 * Performs a change. Contract: in one transaction with what the owner of the files stores about it. If either throws, neither remains,
 * and the error is thrown. Synchronous; never called inside a transaction.
 */
export type Change = <T>(work: () => Changed<T>) => T;
