// A change of a thread's files and whatever is told of it: one transaction, so that a crash leaves both or neither.

import type { FileRecord } from "#spec/index.ts";

/** What is told of a change: the file or folder as it is now, null for one that is gone. */
export interface FileChange {
  path: string;
  file: FileRecord | null;
}

/** What a piece of work comes to. `told` is null where nobody has to hear of it. */
export interface Changed<T> {
  result: T;
  told: FileChange | null;
}

/**
 * Does a change. Contract: in one transaction with what the owner of the files keeps of it; where either throws, nothing is
 * left of both, and it throws that. Synchronous; never called within a transaction.
 */
export type Change = <T>(work: () => Changed<T>) => T;
