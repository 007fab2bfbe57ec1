// What a branch consists of: stretches of its ancestors and its own messages. Positions rise along a branch, so a stretch
// needs no lower bound: a branch has no message at or before the position it forked at.

import type { BranchRecord } from "./thread-lifecycle.ts";

/** Messages of one branch up to a position, itself included; null: all of them. */
export interface BranchStretch {
  branch: string;
  upTo: string | null;
}

/** The stretches of a branch, oldest first; none for a branch that does not exist. */
export function branchPath(id: string, find: (id: string) => BranchRecord | null): BranchStretch[] {
  const path: BranchStretch[] = [];
  let upTo: string | null = null;
  let branch = find(id);
  while (branch !== null) {
    path.unshift({ branch: branch.id, upTo });
    const fork: string | null = branch.fork_position;
    // A fork inside an ancestor's stretch cuts every older stretch too.
    if (fork !== null && (upTo === null || fork < upTo)) upTo = fork;
    branch = branch.parent_branch === null ? null : find(branch.parent_branch);
  }
  return path;
}
