// Computes which messages a branch contains: those of its ancestors up to each fork, and its own. Positions increase along a
// branch, so no lower bound is needed: a branch has no message of its own at or before the position where it forked.

import type { BranchRecord } from "./thread-lifecycle.ts";

/** The messages of one branch up to the position `upTo`, inclusive; all of them if it is null. */
export interface BranchStretch {
  branch: string;
  upTo: string | null;
}

/** The parts of a branch from oldest to newest; empty if the branch does not exist. */
export function branchPath(id: string, find: (id: string) => BranchRecord | null): BranchStretch[] {
  const path: BranchStretch[] = [];
  let upTo: string | null = null;
  let branch = find(id);
  while (branch !== null) {
    path.unshift({ branch: branch.id, upTo });
    const fork: string | null = branch.fork_position;
    // A fork before the end of an ancestor's part limits all older parts too.
    if (fork !== null && (upTo === null || fork < upTo)) upTo = fork;
    branch = branch.parent_branch === null ? null : find(branch.parent_branch);
  }
  return path;
}

/**
 * The position up to which two branches have the same messages; "" if they share none, null if the branches are the same one. Both paths
 * begin with the thread's first branch.
 */
export function commonPosition(one: readonly BranchStretch[], other: readonly BranchStretch[]): string | null {
  let common: string | null = "";
  for (const [at, { branch, upTo }] of one.entries()) {
    const second = other[at];
    if (second?.branch !== branch) return common;
    common = earlier(upTo, second.upTo);
    if (upTo !== second.upTo) return common;
  }
  return common;
}

/** The lower of two positions. Null is the end of a branch. */
function earlier(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}
