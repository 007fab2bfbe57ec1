// Finds where a new branch parts from the conversation: before or after a message that a caller names. Calls and their results stay together.

import { refuse } from "#contract/error.ts";
import type { MessageRecord, ThreadRecord } from "#core/record/record.ts";
import { callsOf } from "#core/record/run-state.ts";
import { isModelAnswer } from "#core/record/scope.ts";
import type { ManagedThreadStore } from "#store/thread-lifecycle.ts";

import type { LiveThread } from "../live/live-thread.ts";

/** Where a branch parts: the branch of the last message that both share, and the position of that message; "" for the thread's beginning. */
export interface BranchPoint {
  parent: string;
  position: string;
}

/** The maximum number of branches of a thread. */
const mostBranches = 1000;

/** The field of a request that names a message. */
type Field = "from" | "before";

/**
 * The message that a caller names as the place of a branch. Refuses with `message_not_found` a message that the thread does not have, and
 * with `invalid_request` one of a nested loop and a silent one.
 */
export function branchMessage(live: LiveThread, id: string, field: Field): MessageRecord {
  const message = live.store.message(id);
  if (message === null) throw refuse("message_not_found", `There is no message "${id}" in this thread.`);
  const nameable = outermost(live.store, message);
  if (nameable === null) throw wrongMessage(field, `The message "${id}" belongs to a call whose message was deleted.`);
  if (nameable.id !== id) {
    const why = message.depth > 0 ? "is inside a call" : "is silent";
    throw wrongMessage(field, `The message "${id}" ${why}. Name the message "${nameable.id}".`, nameable.id);
  }
  return message;
}

function wrongMessage(field: Field, message: string, messageId?: string) {
  return refuse("invalid_request", message, {
    fields: [{ path: field, message }],
    ...(messageId === undefined ? {} : { message_id: messageId }),
  });
}

/** The message of the main conversation that contains a nested or silent one: that of the call, or the shown message before it. */
function outermost(store: ManagedThreadStore, message: MessageRecord): MessageRecord | null {
  let found: MessageRecord | null = message;
  while (found !== null && found.depth > 0) found = found.parent_id === null ? null : store.message(found.parent_id);
  if (found === null || !found.silent) return found;
  const { branch, position } = found;
  const [shown] = store.messages({
    branch,
    order: "desc",
    limit: 1,
    beyond: position,
    includeSilent: false,
    maxDepth: 0,
  });
  return shown ?? null;
}

/** Whether a user, or a caller in a user's place, wrote the message; false for what models and tools wrote. */
export function isInput(message: MessageRecord): boolean {
  return message.role !== "tool" && message.step === null && !isModelAnswer(message);
}

/** The point of a rerun: after an input, or before the first answer of the run that a message belongs to. */
export function rerunPoint(live: LiveThread, from: MessageRecord): BranchPoint {
  if (isInput(from) && from.role !== "assistant") return pointAfter(live, from);
  const run = from.run_id === null ? null : live.store.run(from.run_id);
  if (run === null) {
    const message = `The message "${from.id}" belongs to no run. Use kind "branch", or name a message of a user.`;
    throw wrongMessage("from", message);
  }
  const first = firstAnswer(live.store, from, run.after_position);
  return pointBefore(live, first ?? from);
}

/** The first answer after a position on the branch of a message that is not after it. */
function firstAnswer(store: ManagedThreadStore, from: MessageRecord, after: string): MessageRecord | null {
  let beyond = after;
  for (;;) {
    const query = { branch: from.branch, order: "asc" as const, limit: 25, includeSilent: true, maxDepth: 0 };
    const page = store.messages({ ...query, beyond });
    const answer = page.find(({ step, role }) => step !== null && role !== "tool");
    if (answer !== undefined) return answer;
    const last = page.at(-1);
    if (last === undefined || last.position >= from.position) return null;
    beyond = last.position;
  }
}

/** The point before a message. */
export function pointBefore({ store }: LiveThread, { branch, position }: MessageRecord): BranchPoint {
  const [before] = store.messages({ branch, order: "desc", limit: 1, beyond: position, includeSilent: true });
  return before === undefined ? { parent: firstBranch(store, branch), position: "" } : placeOf(before);
}

/** The point after a message, and after the results of the calls of its step. */
export function pointAfter({ store }: LiveThread, message: MessageRecord): BranchPoint {
  const isOfStep = ({ run_id, step, role }: MessageRecord) =>
    role === "tool" && run_id === message.run_id && step === message.step;
  if (callsOf(message).length === 0 && message.role !== "tool") return placeOf(message);
  let last = message;
  let beyond = message.position;
  for (;;) {
    const page = store.messages({ branch: message.branch, order: "asc", limit: 25, beyond, includeSilent: true });
    const next = page.findIndex((one) => one.depth === 0 && !isOfStep(one));
    last = (next === -1 ? page : page.slice(0, next)).at(-1) ?? last;
    if (next !== -1 || page.length === 0) return placeOf(last);
    beyond = last.position;
  }
}

function placeOf({ branch, position }: MessageRecord): BranchPoint {
  return { parent: branch, position };
}

/** The first branch of the thread, which is an ancestor of every other one. */
function firstBranch(store: ManagedThreadStore, branch: string): string {
  for (let id = branch; ;) {
    const parent = store.branch(id)?.parent_branch ?? null;
    if (parent === null) return id;
    id = parent;
  }
}

/** Refuses a new branch in a thread that has as many as it may have, and in a thread that answers a call of another thread. */
export function checkMayBranch({ store, record }: { store: ManagedThreadStore; record: Readonly<ThreadRecord> }): void {
  if (record.parent !== null) {
    const { thread_id } = record.parent;
    const message = `This thread answers a call of the thread "${thread_id}". Make the branch there.`;
    throw refuse("conflict", message, { thread_id });
  }
  if (store.branches().length < mostBranches) return;
  const message = `The thread has ${mostBranches} branches, and no more are possible. Go on with one of them, or in a new thread.`;
  throw refuse("conflict", message, { limit: mostBranches });
}
