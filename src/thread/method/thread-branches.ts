// The methods of a thread's branches: the tree, and the change to another branch.

import type { Branch, CheckedOut, Checkout, ListBranches } from "#contract/branch-route.ts";
import { decodeCursor, encodeCursor } from "#contract/cursor.ts";
import { refuse } from "#contract/error.ts";
import type { Page } from "#contract/list-page.ts";
import { totalOf } from "#core/record/message-counts.ts";
import type { BranchRecord } from "#store/thread-lifecycle.ts";

import type { LiveThread } from "../live/live-thread.ts";
import { sharedPosition, switchBranch } from "../live/switch-branch.ts";
import { filesAfter } from "../run/admission.ts";
import { branchMessage, checkMayBranch, pointBefore } from "../run/branch-point.ts";
import type { OpenThread } from "./loaded-thread.ts";
import type { MethodGroup } from "./method-call.ts";
import { view } from "./thread-changes.ts";
import { knownBranch } from "./thread-messages.ts";

export const branchMethods: MethodGroup<"listBranches" | "checkout"> = {
  listBranches: ({ thread }, query) => listBranches(thread().live, query),
  checkout: ({ thread }, target) => checkout(thread(), target),
};

/** A page of branches, in the order in which they were made. */
function listBranches(live: LiveThread, { limit, cursor }: ListBranches): Page<Branch> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor, "branches");
  // The id of the first branch is not ordered by time as the ids of the others are.
  const all = live.store.branches().toSorted((one) => (one.parent_branch === null ? -1 : 0));
  const rest = all.slice(all.findIndex(({ id }) => id === after) + 1);
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  const more = rest.length > items.length && last !== undefined;
  return {
    items: items.map((one) => toBranch(live, one)),
    next_cursor: more ? encodeCursor(last.id, "branches") : null,
  };
}

function toBranch({ store, record }: LiveThread, branch: BranchRecord): Branch {
  const { id, parent_branch, fork_position, created_at } = branch;
  const query = { branch: id, limit: 1, includeSilent: true, maxDepth: 0 };
  const after = fork_position ?? "";
  const [first] = store.messages({ ...query, order: "asc", beyond: after });
  const [shared] =
    parent_branch === null || after === ""
      ? []
      : store.messages({ ...query, includeSilent: false, branch: parent_branch, order: "desc", beyond: `${after}~` });
  const [last] = first === undefined ? [] : store.messages({ ...query, order: "desc", above: after });
  const own = store.countMessages({ branch: id, after, upTo: null });
  return {
    id,
    parent_id: parent_branch,
    after_message_id: shared?.id ?? null,
    first_message_id: first?.id ?? null,
    message_count: totalOf(own, { includeSilent: false }),
    last_run_id: last?.run_id ?? null,
    created_at,
    current: id === record.branch,
  };
}

/** Changes to a branch, or to a new one that ends before a message. Writes the thread's row, and the row of a new branch. */
function checkout(context: Pick<OpenThread, "live" | "files">, { branch_id, before }: Checkout): CheckedOut {
  const { live } = context;
  const { store, record } = live;
  if (record.active_run_id !== null) {
    const message = "A run is active. Wait for it, or stop the thread, before you change to another branch.";
    throw refuse("conflict", message, { run_id: record.active_run_id });
  }
  const left = record.branch;
  if (branch_id === undefined) makeBranch(live, before ?? "");
  else if (knownBranch(live, branch_id, "branch_id") !== left) change(live, branch_id);
  const position = sharedPosition(store, left, live.record.branch);
  return { thread: view(live), files_kept: filesAfter(context, { parent: left, position }) };
}

/** Makes a branch that ends before a message, and changes to it. */
function makeBranch(live: LiveThread, before: string): void {
  const message = branchMessage(live, before, "before");
  checkMayBranch(live);
  const { parent, position } = pointBefore(live, message);
  const id = live.uuids.next();
  live.transaction(() => {
    live.store.insertBranch({ id, parent_branch: parent, fork_position: position, created_at: live.clock.now() });
    change(live, id);
  });
}

/**
 * Changes to a branch that has a row. The thread's row stores the event, until a run or a message is stored. It replaces the event of an
 * earlier change, because nothing happened on that branch.
 */
function change(live: LiveThread, branch: string): void {
  live.transaction(() => {
    const [earlier] = live.takeBranchEvent();
    const from = earlier?.["after"];
    const changed = switchBranch(live, branch, typeof from === "string" ? { from } : {});
    live.change({ branch_event: live.stage([changed])[0] });
    live.markIdleChange();
    live.save();
  });
}
