// What a thread's store can do beyond the port that the loop sees: come into being, be brought up to date, branch, vanish.
// Both implementations keep it, and the contract suite holds them to it.

import type { ThreadStore } from "#core/ports/thread-store.ts";
import type { MessageRecord, StoredEvent, ThreadRecord } from "#core/record.ts";

/**
 * A line of the conversation that left another one. It begins with the parent's messages up to and including
 * `fork_position`; its own messages stand after that position.
 */
export interface BranchRecord {
  id: string;
  /** Null for the branch a thread begins with. */
  parent_branch: string | null;
  fork_position: string | null;
  created_at: number;
}

/** Place of a message among all of a thread. */
export type MessagePlace = Pick<MessageRecord, "branch" | "position">;

/** Contract: as ThreadStore; before `create` only `exists`, `importing` and `readThread` answer, and none writes. */
export interface ManagedThreadStore extends ThreadStore {
  /** There is a thread, or one that is being imported: then `readThread` gives null. */
  exists(): boolean;
  /** Makes the tables, the thread's row and its first branch, `thread.branch`, together. */
  create(thread: ThreadRecord): void;
  /** Makes the tables, and in place of the thread's row the mark of one that is not whole yet. `writeThread` ends it. */
  beginImport(threadId: string): void;
  /** Id of the thread whose import has begun and not ended; null for none. */
  importing(): string | null;
  /** Runs pending schema steps of an existing thread, each in a time that does not depend on its length. */
  migrate(): string[];
  insertBranch(branch: BranchRecord): void;
  branch(id: string): BranchRecord | null;
  /** All branches, by id. */
  branches(): BranchRecord[];
  /** Messages by branch and position, whichever branch is the present one. */
  everyMessage(page: { after: MessagePlace | null; limit: number }): MessageRecord[];
  /** Events that ride in no other row, by number, as many as asked for. */
  eventPage(page: { after: number; limit: number }): StoredEvent[];
  /** Deletes everything, alarm included, and leaves an empty object. */
  destroy(): Promise<void>;
}
