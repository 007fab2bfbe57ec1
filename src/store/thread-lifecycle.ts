// What a thread's store can do beyond the port that the loop sees: come into being, be brought up to date, branch, vanish.
// Both implementations keep it, and the contract suite holds them to it.

import type { ThreadStore } from "#core/ports/thread-store.ts";
import type { ThreadRecord } from "#core/record.ts";

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

/** Contract: as ThreadStore; before `create` only `exists` and `readThread` answer, and neither writes. */
export interface ManagedThreadStore extends ThreadStore {
  exists(): boolean;
  /** Makes the tables, the thread's row and its first branch, `thread.branch`, together. */
  create(thread: ThreadRecord): void;
  /** Runs pending schema steps of an existing thread, each in a time that does not depend on its length. */
  migrate(): string[];
  insertBranch(branch: BranchRecord): void;
  branch(id: string): BranchRecord | null;
  /** Deletes everything, alarm included, and leaves an empty object. */
  destroy(): Promise<void>;
}
