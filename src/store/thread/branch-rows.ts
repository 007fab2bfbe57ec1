// Reads and writes branches of a thread. Rows of branches never change, so they are cached in memory. A rollback clears the cache,
// because it may have removed a cached row.

import { branchPath, type BranchStretch } from "../branch-path.ts";
import type { MeteredStorage } from "../meter.ts";
import type { BranchRecord } from "../thread-lifecycle.ts";
import { statement } from "./statement.ts";

/** The columns of a branch, which are its record. */
type BranchRow = { [Name in keyof BranchRecord]: BranchRecord[Name] };

/** Creates the operations on branches. */
export function branchRows(storage: MeteredStorage) {
  const columns = "id, parent_branch, fork_position, created_at";
  const insert = statement(storage, `INSERT INTO branch (${columns}) VALUES (?, ?, ?, ?)`);
  const select = statement<BranchRow>(storage, `SELECT ${columns} FROM branch WHERE id = ?`);
  const selectAll = statement<BranchRow>(storage, `SELECT ${columns} FROM branch ORDER BY id`);
  const known = new Map<string, BranchRecord>();
  /** Whether `known` has all branches. */
  let isComplete = false;

  const find = (id: string): BranchRecord | null => {
    const branch = known.get(id) ?? select.get(id) ?? null;
    if (branch !== null) known.set(id, branch);
    return branch;
  };
  return {
    insert(branch: BranchRecord): void {
      insert.run(branch.id, branch.parent_branch, branch.fork_position, branch.created_at);
      known.set(branch.id, { ...branch });
    },
    find(id: string): BranchRecord | null {
      const branch = find(id);
      return branch === null ? null : { ...branch };
    },
    all(): BranchRecord[] {
      if (!isComplete) for (const branch of selectAll.all()) known.set(branch.id, branch);
      isComplete = true;
      return [...known.values()]
        .map((branch) => ({ ...branch }))
        .toSorted((left, right) => (left.id < right.id ? -1 : 1));
    },
    path(id: string): BranchStretch[] {
      return branchPath(id, find);
    },
    forget(): void {
      known.clear();
      isComplete = false;
    },
  };
}
