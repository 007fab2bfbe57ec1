// Operations of a thread's store beyond the port of the loop: create, migrate, branch, import and delete. One suite of tests checks
// both implementations.

import type { ThreadStore } from "#core/ports/thread-store.ts";
import type { MessageRecord, StoredEvent, ThreadRecord } from "#core/record/record.ts";

/**
 * A branch of the conversation. It contains the messages of its parent up to and including `fork_position`, followed by its own, whose
 * positions are greater.
 */
export interface BranchRecord {
  id: string;
  /** Null for the first branch of a thread. */
  parent_branch: string | null;
  fork_position: string | null;
  created_at: number;
}

/** Position of a message among all messages of a thread. */
export type MessagePosition = Pick<MessageRecord, "branch" | "position">;

/**
 * Contract: as ThreadStore. Before `create` or `beginImport`, only `exists`, `importing` and `readThread` may be called, and they write
 * nothing.
 */
export interface ManagedThreadStore extends ThreadStore {
  /** Whether a thread exists or is being imported. During an import, `readThread` returns null. */
  exists(): boolean;
  /** Creates the tables, the thread's row and its first branch, `thread.branch`, in one transaction. */
  create(thread: ThreadRecord): void;
  /** Creates the tables, and a mark of an incomplete import instead of the thread's row. `writeThread` replaces the mark. */
  beginImport(threadId: string): void;
  /** Id of the thread whose import is incomplete; null if there is none. */
  importing(): string | null;
  /** Applies missing migrations and returns their names. Their time does not depend on the thread's length. */
  migrate(): string[];
  insertBranch(branch: BranchRecord): void;
  branch(id: string): BranchRecord | null;
  /** All branches, sorted by id. */
  branches(): BranchRecord[];
  /** Messages of all branches, sorted by branch and position. */
  everyMessage(page: { after: MessagePosition | null; limit: number }): MessageRecord[];
  /** Events with a row of their own, sorted by number, at most `limit`. */
  eventPage(page: { after: number; limit: number }): StoredEvent[];
  /** Deletes everything, including the alarm, and leaves an empty object. */
  destroy(): Promise<void>;
}
