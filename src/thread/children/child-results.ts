// Handles results that are posted to a parent thread for calls of its child threads. First the results are grouped by the thread whose
// calls they answer; this step changes nothing. Then each thread receives its group, and checks and stores it like results that were posted
// to it directly.

import { refuse, ThreadholdError } from "#contract/error.ts";
import type { PostedResult } from "#contract/tool-route.ts";
import type { MessageRecord } from "#core/record/record.ts";
import type { KnownCalls } from "#core/rpc/thread-peer.ts";
import type { Result, Caller } from "#core/rpc/thread-rpc.ts";

import type { Deployment } from "../deployment.ts";
import { openCallRows, recentCalls } from "../live/call-rows.ts";
import type { DeployedThread, LiveThread } from "../live/live-thread.ts";
import type { ActiveRunPort } from "../thread-ports.ts";

/**
 * The maximum number of descendant threads (child threads and theirs) that are searched for unknown calls. The newest are searched first.
 */
const mostAsked = 20;

/** The results for one child thread. */
interface ChildPart {
  threadId: string;
  /** The call of this thread on which the child works or worked. */
  row: MessageRecord;
  results: PostedResult[];
}

/** Results by the threads whose calls they answer. */
export interface GroupedResults {
  /** Results for this thread. Results for unknown calls are included, because this thread refuses them. */
  own: PostedResult[];
  parts: ChildPart[];
  /** Ids of calls of child threads that this thread no longer waits for. Results for these calls are dropped. */
  ignored: string[];
  /** The run of this thread for which a child works or worked; null if there are no results for children. */
  runId: string | null;
}

/**
 * Groups the results that are not for open calls of this thread. If no row of this thread has a call, its descendant threads are searched
 * for the call.
 */
export async function groupByThread(
  context: DeployedThread,
  {
    caller,
    results,
    open,
    runId,
  }: {
    caller: Caller;
    results: readonly PostedResult[];
    /** The rows of this thread's calls that wait for a client, a person or a child thread. */
    open: readonly MessageRecord[];
    runId: string | undefined;
  },
): Promise<GroupedResults> {
  const grouped: GroupedResults = { own: [], parts: [], ignored: [], runId: null };
  const unknown: PostedResult[] = [];
  for (const result of results) {
    const child = open.find((row) => childCallIds(row).includes(result.tool_call_id));
    if (child !== undefined) addTo(grouped, child, result);
    else unknown.push(result);
  }
  // The call may already be answered, or a child made it and has not reported it to this thread yet.
  await context.deployment.faults.at("results.whose");
  if (unknown.length > 0) await groupUnknown(context, grouped, { caller, unknown });
  const other = runId === undefined ? undefined : grouped.parts.find(({ row }) => row.run_id !== runId);
  if (other !== undefined) {
    throw refuse("conflict", `The call "${other.results[0]?.tool_call_id}" is none of the run "${runId}".`);
  }
  return grouped;
}

/**
 * Whether a result may be forwarded to the child. It may not if the thread no longer waits for the child, because the thread's run was
 * stopped or the call's deadline has passed in the meantime.
 */
function isStillAwaited(live: LiveThread, { activeRun }: ActiveRunPort, row: MessageRecord): boolean {
  // The call was settled when the results were grouped. The child only compares the result with the stored one, and stores nothing.
  if (row.status === "complete") return true;
  return activeRun?.stop !== true && live.store.message(row.id)?.status === "started";
}

async function groupUnknown(
  context: DeployedThread,
  grouped: GroupedResults,
  { caller, unknown }: { caller: Caller; unknown: readonly PostedResult[] },
): Promise<void> {
  const calls = recentCalls(context.live);
  const ids = unknown.map((result) => result.tool_call_id);
  const own = new Set(calls.map((row) => row.tool_call_id));
  await context.deployment.faults.at("results.ask-children");
  const found = await childrenThatKnow(context, calls, {
    caller,
    ids: ids.filter((id) => !own.has(id)),
    most: mostAsked,
  });
  for (const result of unknown) {
    const id = result.tool_call_id;
    const known = found.get(id);
    if (known === undefined) grouped.own.push(result);
    // The call of this thread ended without the child's result, and the child is notified to stop.
    else if (known.row.status === "complete" && known.isOpen) {
      grouped.ignored.push(id);
      grouped.runId = known.row.run_id;
    } else addTo(grouped, known.row, result);
  }
}

/** Returns which of the calls belong to this thread or to its descendants (child threads and theirs). Changes nothing. */
export function knownCalls(
  context: DeployedThread,
  { caller, ids, most }: { caller: Caller; ids: readonly string[]; most: number },
): Promise<KnownCalls> {
  const { live } = context;
  const calls = recentCalls(live);
  const known: KnownCalls = { open: [], over: [] };
  const open = openCallRows(live);
  const pending = new Set((live.record.pending ?? []).map(({ id }) => id));
  const below: string[] = [];
  for (const id of ids) {
    const isOpen = pending.has(id) || open.some((row) => row.tool_call_id === id || childCallIds(row).includes(id));
    if (isOpen) known.open.push(id);
    else if (calls.some((row) => row.tool_call_id === id && row.answered !== undefined)) known.over.push(id);
    else below.push(id);
  }
  return childrenThatKnow(context, calls, { caller, ids: below, most }).then((found) => {
    for (const [id, { isOpen }] of found) known[isOpen ? "open" : "over"].push(id);
    return known;
  });
}

async function childrenThatKnow(
  { deployment: { threads, faults } }: { deployment: Deployment },
  calls: readonly MessageRecord[],
  { caller, ids, most }: { caller: Caller; ids: readonly string[]; most: number },
): Promise<Map<string, { row: MessageRecord; isOpen: boolean }>> {
  const found = new Map<string, { row: MessageRecord; isOpen: boolean }>();
  const children = calls.filter((row) => childOf(row) !== null).slice(0, most);
  const each = children.length === 0 ? 0 : Math.floor((most - children.length) / children.length);
  for (const row of children) {
    const remaining = ids.filter((id) => !found.has(id));
    if (remaining.length === 0) break;
    await faults.at("results.ask-child");
    const answer = await threads(childOf(row) ?? "").call("knownCalls", caller, remaining, each);
    // A deleted child has no calls.
    if (!answer.ok && answer.refusal.code !== "thread_not_found") throw new ThreadholdError(answer.refusal);
    const known = answer.ok ? answer.value : { open: [], over: [] };
    for (const id of known.open) found.set(id, { row, isOpen: true });
    for (const id of known.over) found.set(id, { row, isOpen: false });
  }
  return found;
}

/**
 * Sends each child its group. Returns the ids of calls whose result was ignored, because they had one already or are no longer awaited.
 * Each thread accepts its group completely or not at all. If one refuses, groups that other threads accepted stay stored, and the client
 * may send the request again.
 */
export async function forwardResults(
  context: DeployedThread & { driver: ActiveRunPort },
  { caller, parts }: { caller: Caller; parts: readonly ChildPart[] },
): Promise<string[]> {
  const { live, driver } = context;
  const ignored: string[] = [];
  for (const { threadId, row, results } of parts) {
    const ids = new Set(results.map(({ tool_call_id }) => tool_call_id));
    if (!isStillAwaited(live, driver, row)) {
      ignored.push(...ids);
      continue;
    }
    await context.deployment.faults.at("results.hand-on");
    const answer = await context.deployment.threads(threadId).call("postToolResults", caller, { results });
    const isGone = !answer.ok && answer.refusal.code === "thread_not_found";
    // The child will report its remaining calls. Until then the answered ones are hidden.
    if (answer.ok || isGone) hideCalls(live, driver, { row, ids });
    if (isGone) throw refuse("tool_call_not_found", `No call "${[...ids][0]}" waits for a result in this thread.`);
    ignored.push(...valueOf(answer).ignored);
  }
  return ignored;
}

function valueOf<T>(answer: Result<T>): T {
  if (answer.ok) return answer.value;
  throw new ThreadholdError(answer.refusal);
}

function addTo(grouped: GroupedResults, row: MessageRecord, result: PostedResult): void {
  const threadId = childOf(row) ?? "";
  grouped.runId = row.run_id;
  const part = grouped.parts.find((one) => one.threadId === threadId);
  if (part === undefined) grouped.parts.push({ threadId, row, results: [result] });
  else part.results.push(result);
}

function hideCalls(
  live: LiveThread,
  driver: ActiveRunPort,
  { row, ids }: { row: MessageRecord; ids: ReadonlySet<string> },
): void {
  const now = live.store.message(row.id);
  if (now?.status !== "started" || now.awaits?.kind !== "child") return;
  const calls = (now.awaits.calls ?? []).filter(({ id }) => !ids.has(id));
  if (calls.length === now.awaits.calls?.length) return;
  const next = { ...now, awaits: { ...now.awaits, calls } };
  live.updateMessage(next);
  driver.showAwaited(next);
}

/** The calls that a child reported, including those of the child's own descendants. */
function childCallIds({ awaits }: MessageRecord): string[] {
  return awaits?.kind === "child" && awaits.delivered === null ? (awaits.calls ?? []).map(({ id }) => id) : [];
}

/** The child thread that works or worked on a call. */
function childOf({ child, awaits }: MessageRecord): string | null {
  return child ?? (awaits?.kind === "child" ? awaits.thread_id : null);
}
