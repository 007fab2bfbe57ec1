// Changes the thread to another branch: what its row says of the current branch is computed from the messages in which the two branches
// differ. Nothing of a branch is deleted, and the usage and cost of all branches count.

import type { EventOf } from "#contract/event.ts";
import type { MessageCounts, MessageRecord, ThreadRecord } from "#core/record/record.ts";
import { toThread } from "#core/record/view.ts";
import { branchPath, commonPosition } from "#store/branch-path.ts";
import type { BranchStretch } from "#store/branch-path.ts";
import type { ManagedThreadStore } from "#store/thread-lifecycle.ts";

import { shownMessages } from "../replay/shown-messages.ts";
import { readLastText, readTitle } from "./listed-facts.ts";
import type { LiveThread } from "./live-thread.ts";

/** The event of a change to another branch, before the thread has set its number. */
export type BranchChange = Omit<EventOf<"branch_changed">, "seq" | "thread_id" | "at" | "prev">;

/**
 * Inside a transaction: changes the thread to a branch, which has a row. Returns the event, which the caller stores and sends. `from`: a
 * position up to which every reader has the messages of the branch; readers that missed an earlier change have fewer.
 */
export function switchBranch(live: LiveThread, branch: string, { from }: { from?: string } = {}): BranchChange {
  const { store, record } = live;
  const shared = sharedPosition(store, record.branch, branch);
  live.change({ ...factsOn(live, { branch, shared }), branch, updated_at: live.clock.now() });
  const common = from !== undefined && from < shared ? from : shared;
  const { messages, more } = shownMessages(store, { branch, after: common });
  const shown = more ? shownMessages(store, { branch, after: "" }).messages : messages;
  const thread = { ...toThread(live.record), last_seq: live.lastSeq };
  return { type: "branch_changed", branch_id: branch, after: more ? "" : common, messages: shown, thread };
}

/** The parts of a branch, from oldest to newest. */
export function pathOf(store: ManagedThreadStore, branch: string): BranchStretch[] {
  return branchPath(branch, (id) => store.branch(id));
}

/** Whether a message is on a branch: the branch's own, or of an ancestor before the branches part. */
export function isOnBranch(
  store: ManagedThreadStore,
  branch: string,
  message: Pick<MessageRecord, "branch" | "position">,
): boolean {
  return pathOf(store, branch).some((one) => one.branch === message.branch && (one.upTo ?? "~") >= message.position);
}

/** The position of the last message that two branches share; "" if they share none. */
export function sharedPosition(store: ManagedThreadStore, one: string, other: string): string {
  return commonPosition(pathOf(store, one), pathOf(store, other)) ?? "~";
}

/** The fields of the thread's row that depend on its branch. `shared`: the position of the last message that both branches have. */
function factsOn(
  { store, record }: LiveThread,
  { branch, shared }: { branch: string; shared: string },
): Partial<ThreadRecord> {
  const left = store.countMessages({ branch: record.branch, after: shared, upTo: null });
  const entered = store.countMessages({ branch, after: shared, upTo: null });
  return {
    counts: sum(sum(record.counts, left, -1), entered, 1),
    last_message: readLastText(store, branch),
    agent_id: agentOn(store, record, branch),
    ...projectionsUpTo(record.projections, shared),
    ...titleOn(store, record, branch),
  };
}

function sum(counts: MessageCounts, more: MessageCounts, by: 1 | -1): MessageCounts {
  const result = { ...counts };
  for (const [depth, [shown, silent]] of Object.entries(more)) {
    const [knownShown, knownSilent] = result[depth] ?? [0, 0];
    result[depth] = [knownShown + by * shown, knownSilent + by * silent];
  }
  return result;
}

/**
 * The agent of the thread on a branch: that of its last run there, or the one to which that run handed the thread. An agent that a caller
 * has set since the last run stays.
 */
function agentOn(
  store: ManagedThreadStore,
  { branch: left, agent_id, origin_agent_id }: ThreadRecord,
  branch: string,
): string {
  const before = lastAgent(store, left) ?? origin_agent_id;
  return before === agent_id ? (lastAgent(store, branch) ?? origin_agent_id) : agent_id;
}

/** The maximum number of messages that are searched for one that belongs to a run. Messages that belong to no run may follow it. */
const lookBack = 50;

/** The agent that the last run on a branch ended with; null if the branch has no run among its last messages. */
function lastAgent(store: ManagedThreadStore, branch: string): string | null {
  const last = store.messages({ branch, order: "desc", limit: lookBack, includeSilent: true, maxDepth: 0 });
  const id = last.find(({ run_id }) => run_id !== null)?.run_id ?? null;
  const run = id === null ? null : store.run(id);
  if (run === null) return null;
  const handoff = last.find((message) => message.run_id === id && message.handoff !== undefined)?.handoff;
  return handoff ?? run.agent_id;
}

/** The projections of compacted conversations that concern only messages that both branches have. The others are made again. */
function projectionsUpTo(projections: ThreadRecord["projections"], shared: string): Partial<ThreadRecord> {
  if (projections === undefined) return {};
  const kept = Object.entries(projections).filter(([, { dropped, essence, shortened, files, cut }]) =>
    [dropped, essence, shortened, files, cut?.before ?? ""].every((position) => position <= shared),
  );
  return { projections: Object.fromEntries(kept) };
}

/** The title on a branch, unless a caller set it: it stays if the message that gave it is on the branch. */
function titleOn(store: ManagedThreadStore, { titled_by }: ThreadRecord, branch: string): Partial<ThreadRecord> {
  if (titled_by === null || titled_by === undefined) return {};
  const message = store.message(titled_by);
  return message !== null && isOnBranch(store, branch, message) ? {} : readTitle(store, branch);
}
