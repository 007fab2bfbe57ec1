// Answers that are posted to a parent for calls of its children. First it is found out whose each call is, which takes
// nothing; then each thread is handed its part, which it checks and takes as it takes its own.

import { refuse, ThreadholdError } from "#contract/error.ts";
import type { PostedResult, PostToolResults } from "#contract/tool-route.ts";
import type { MessageRecord } from "#core/record.ts";
import type { KnownCalls } from "#core/thread-peer.ts";
import type { Answer, Caller } from "#core/thread-rpc.ts";

import { openCallRows } from "../method/open-call-rows.ts";
import { recentCalls } from "../method/recent-calls.ts";
import type { ObjectContext } from "../object-context.ts";
import type { Driver } from "../run/driver.ts";

/** Children that are asked, the newest first, whether calls that nobody told of were theirs; those below them among them. */
const mostAsked = 20;

/** What a child is to be handed. */
interface ChildPart {
  threadId: string;
  /** The call of this thread that the child works, or worked, on. */
  row: MessageRecord;
  results: PostedResult[];
}

/** Whose the answers of a request are. */
export interface Sorted {
  own: PostedResult[];
  parts: ChildPart[];
  /** Calls of children that nobody waits for any more: what is said of them changes nothing. */
  ignored: string[];
  /** The run that a child works, or worked, for; null where none does. */
  runId: string | null;
}

/** Sorts a request by the threads whose calls it answers. Calls that nobody knows are this thread's own to refuse. */
export async function sortAnswers(
  context: ObjectContext,
  { caller, body: { results, run_id } }: { caller: Caller; body: PostToolResults },
): Promise<Sorted> {
  const { live } = context;
  const open = openCallRows(live);
  const sorted: Sorted = { own: [], parts: [], ignored: [], runId: null };
  const unknown: PostedResult[] = [];
  for (const result of results) {
    const id = result.tool_call_id;
    const isOwn = open.some((row) => row.tool_call_id === id && row.awaits?.kind !== "child");
    const child = isOwn ? undefined : open.find((row) => childCallIds(row).includes(id));
    if (child !== undefined) addTo(sorted, child, result);
    else if (isOwn) sorted.own.push(result);
    else unknown.push(result);
  }
  // Answered before, perhaps, and sent again; or asked for just now. Whoever made the call knows.
  await context.faults.at("results.whose");
  if (unknown.length > 0) await sortUnknown(context, sorted, { caller, unknown });
  const other = run_id === undefined ? undefined : sorted.parts.find(({ row }) => row.run_id !== run_id);
  if (other !== undefined) {
    throw refuse("conflict", `The call "${other.results[0]?.tool_call_id}" is none of the run "${run_id}".`);
  }
  return sorted;
}

/** Whether the thread waits for the child as it did when the request was sorted: it may have been stopped, or have given up. */
function isStillAwaited({ live }: ObjectContext, { activeRun }: Driver, row: MessageRecord): boolean {
  // What is said of a call that is over is compared by the child, and changes nothing.
  if (row.status === "complete") return true;
  return activeRun?.stop !== true && live.store.message(row.id)?.status === "started";
}

async function sortUnknown(
  context: ObjectContext,
  sorted: Sorted,
  { caller, unknown }: { caller: Caller; unknown: readonly PostedResult[] },
): Promise<void> {
  const calls = recentCalls(context.live);
  const ids = unknown.map((result) => result.tool_call_id);
  const own = new Set(calls.map((row) => row.tool_call_id));
  await context.faults.at("results.ask-children");
  const found = await childrenThatKnow(context, calls, {
    caller,
    ids: ids.filter((id) => !own.has(id)),
    most: mostAsked,
  });
  for (const result of unknown) {
    const id = result.tool_call_id;
    const known = found.get(id);
    if (known === undefined) sorted.own.push(result);
    // The call of this thread is over without the child's word: the child is told to stop, or will be.
    else if (known.row.status === "complete" && known.isOpen) {
      sorted.ignored.push(id);
      sorted.runId = known.row.run_id;
    } else addTo(sorted, known.row, result);
  }
}

/** Which of the calls this thread knows, or one that worked for it. Takes nothing. */
export function knownCalls(
  context: ObjectContext,
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
  { threads, faults }: ObjectContext,
  calls: readonly MessageRecord[],
  { caller, ids, most }: { caller: Caller; ids: readonly string[]; most: number },
): Promise<Map<string, { row: MessageRecord; isOpen: boolean }>> {
  const found = new Map<string, { row: MessageRecord; isOpen: boolean }>();
  const workers = calls.filter((row) => childOf(row) !== null).slice(0, most);
  const each = workers.length === 0 ? 0 : Math.floor((most - workers.length) / workers.length);
  for (const row of workers) {
    const left = ids.filter((id) => !found.has(id));
    if (left.length === 0) break;
    await faults.at("results.ask-child");
    const answer = await threads(childOf(row) ?? "").call("knownCalls", caller, left, each);
    // A child that is gone knows nothing any more.
    if (!answer.ok && answer.refusal.code !== "thread_not_found") throw new ThreadholdError(answer.refusal);
    const known = answer.ok ? answer.value : { open: [], over: [] };
    for (const id of known.open) found.set(id, { row, isOpen: true });
    for (const id of known.over) found.set(id, { row, isOpen: false });
  }
  return found;
}

/**
 * Hands children their parts; gives the calls that were over. Each thread takes its part whole or not at all: where one refuses,
 * what another took before stays taken, and the request may be sent again.
 */
export async function handOn(
  context: ObjectContext,
  driver: Driver,
  { caller, parts }: { caller: Caller; parts: readonly ChildPart[] },
): Promise<string[]> {
  const ignored: string[] = [];
  for (const { threadId, row, results } of parts) {
    const ids = new Set(results.map(({ tool_call_id }) => tool_call_id));
    if (!isStillAwaited(context, driver, row)) {
      ignored.push(...ids);
      continue;
    }
    await context.faults.at("results.hand-on");
    const answer = await context.threads(threadId).call("postToolResults", caller, { results });
    const isGone = !answer.ok && answer.refusal.code === "thread_not_found";
    // The child tells what it still waits for as well; whoever asks before that shall not be shown what was answered.
    if (answer.ok || isGone) forget(context, driver, { row, ids });
    if (isGone) throw refuse("tool_call_not_found", `No call "${[...ids][0]}" waits for a result in this thread.`);
    ignored.push(...valueOf(answer).ignored);
  }
  return ignored;
}

function valueOf<T>(answer: Answer<T>): T {
  if (answer.ok) return answer.value;
  throw new ThreadholdError(answer.refusal);
}

function addTo(sorted: Sorted, row: MessageRecord, result: PostedResult): void {
  const threadId = childOf(row) ?? "";
  sorted.runId = row.run_id;
  const part = sorted.parts.find((one) => one.threadId === threadId);
  if (part === undefined) sorted.parts.push({ threadId, row, results: [result] });
  else part.results.push(result);
}

function forget(
  { live }: ObjectContext,
  driver: Driver,
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

/** Calls that a child told of, and those of threads below it. */
function childCallIds({ awaits }: MessageRecord): string[] {
  return awaits?.kind === "child" && awaits.delivered === null ? (awaits.calls ?? []).map(({ id }) => id) : [];
}

/** The thread that worked, or works, on a call. */
function childOf({ child, awaits }: MessageRecord): string | null {
  return child ?? (awaits?.kind === "child" ? awaits.thread_id : null);
}
