// Reads and writes branches of a thread. Rows of branches never change, so they are cached in memory. A rollback clears the cache,
// because it may have removed a cached row.

import { asc, eq, sql } from "drizzle-orm";

import { branchPath, type BranchStretch } from "../branch-path.ts";
import type { BranchRecord } from "../thread-lifecycle.ts";
import { branchTable } from "./schema.ts";
import { prepared, type ThreadDatabase } from "./thread-database.ts";

/** Creates the operations on branches. */
export function branchRows(database: ThreadDatabase) {
  const columns = {
    id: branchTable.id,
    parent_branch: branchTable.parentBranch,
    fork_position: branchTable.forkPosition,
    created_at: branchTable.createdAt,
  };
  const queries = prepared({
    insert: () =>
      database.insert(branchTable).values({
        id: sql.placeholder("id"),
        parentBranch: sql.placeholder("parent_branch"),
        forkPosition: sql.placeholder("fork_position"),
        createdAt: sql.placeholder("created_at"),
      }),
    select: () =>
      database
        .select(columns)
        .from(branchTable)
        .where(eq(branchTable.id, sql.placeholder("id"))),
    selectAll: () => database.select(columns).from(branchTable).orderBy(asc(branchTable.id)),
  });
  const known = new Map<string, BranchRecord>();

  const find = (id: string): BranchRecord | null => {
    const branch = known.get(id) ?? queries.select.get({ id }) ?? null;
    if (branch !== null) known.set(id, branch);
    return branch;
  };
  return {
    insert(branch: BranchRecord): void {
      queries.insert.run({ ...branch });
    },
    find(id: string): BranchRecord | null {
      const branch = find(id);
      return branch === null ? null : { ...branch };
    },
    all(): BranchRecord[] {
      return queries.selectAll.all();
    },
    path(id: string): BranchStretch[] {
      return branchPath(id, find);
    },
    forget(): void {
      known.clear();
    },
  };
}
